import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSettings } from '../../src/plugin/settings.ts'
import { recordKey } from '../../src/record/folders.ts'
import {
  ADDRESS,
  CWD,
  delivery,
  type HostSession,
  hostSession,
  ID,
  OTHER,
  PEER,
  settled,
} from './support/host-session.ts'

const kinds = (host: HostSession, id?: string) => host.entries(id).map(one => one.kind)

const causes = (host: HostSession) => host.entries().flatMap(one => one.cause ?? [])

function sessionStarts(host: HostSession, source: string, id = host.id) {
  return host.emit('classic.SessionStart', { session_id: id, cwd: host.cwd, source }, () => ({}))
}

describe('ruling 8: start entries', () => {
  it('one for a session, with the host, its version, the working directory and the inbound state', async () => {
    const host = hostSession()
    host.settings.user = { crossSessionInbound: 'hold' }
    await host.start()
    expect(host.entries()).toEqual([
      {
        ...{ kind: 'start', sessionId: ID, at: expect.stringMatching(/Z$/), cwd: CWD },
        ...{ host: 'claude-code', version: '2.1.332', inbound: 'hold', cause: 'startup' },
      },
    ])
  })

  it.each(['resume', 'clear', 'fork', 'startup'])('one more for a new id by %s, once', async source => {
    const host = hostSession()
    await host.start()
    for (const _ of [1, 2]) await sessionStarts(host, source, PEER)
    expect([kinds(host), kinds(host, PEER)]).toEqual([['start'], ['start']])
  })

  it('none for a compaction', async () => {
    const host = hostSession()
    await host.start()
    await sessionStarts(host, 'compact', PEER)
    expect(kinds(host, PEER)).toEqual([])
    await host.modelSends(ADDRESS, 'x')
    expect([kinds(host), kinds(host, PEER)]).toEqual([['start', 'message'], []])
  })

  it('one more for a reload, which says that the session was running already', async () => {
    const host = hostSession()
    await host.start()
    await host.load()
    await host.emit('session.start', { cwd: CWD }, () => ({}))
    await host.modelSends(ADDRESS, 'x')
    // Two loads within a millisecond have no order.
    expect(kinds(host).sort()).toEqual(['message', 'start', 'start'])
    expect(causes(host).sort()).toEqual(['reload', 'startup'])
  })

  it('one where the plugin was enabled in the middle of a session', async () => {
    const host = hostSession()
    await host.load()
    await host.emit('session.start', { cwd: CWD }, () => ({}))
    expect(causes(host)).toEqual(['reload'])
  })

  it('one for a resumed session, under the id that it had', async () => {
    const host = hostSession()
    await host.load()
    await sessionStarts(host, 'startup')
    await host.load()
    await sessionStarts(host, 'resume')
    expect(causes(host)).toEqual(['startup', 'resume'])
  })

  it('what follows /clear is of the new session', async () => {
    const host = hostSession()
    await host.start()
    await host.emit(
      'classic.SessionStart',
      { session_id: PEER, cwd: '/elsewhere', source: 'clear' },
      () => ({}),
    )
    await host.modelSends(ADDRESS, 'x')
    expect([kinds(host), kinds(host, PEER)]).toEqual([['start'], ['start', 'message']])
    expect(host.entries(PEER).map(one => one.cwd)).toEqual(['/elsewhere', '/elsewhere'])
    await sessionStarts(host, 'resume')
    await host.modelSends(ADDRESS, 'y')
    expect(kinds(host)).toEqual(['start', 'message'])
  })

  it.each(['message sent', 'message received', 'message answered'])(
    'one that a fault of the host kept from being written comes with the next %s',
    async what => {
      const host = hostSession()
      const { version } = host.$.session
      host.$.session.version = async () => {
        throw new Error('not yet')
      }
      await host.start()
      expect(kinds(host)).toEqual([])
      host.$.session.version = version
      if (what === 'message sent') await host.raiseSent(ADDRESS, 'x', {}, { kind: 'plugin', name: 'p' })
      if (what === 'message received')
        await host.emit('session.receive', { origin: { kind: 'peer' }, text: delivery('x') }, one => one)
      if (what === 'message answered') await host.modelSends(ADDRESS, 'x')
      expect(kinds(host).sort()).toEqual(['message', 'start'])
    },
  )
})

describe('what the session is given', () => {
  it('the two tools and the command, also where nothing can be recorded', async () => {
    for (const options of [{}, { recordDir: 'relative' }]) {
      const host = hostSession({ options })
      await host.start()
      expect(host.shown.tools.map(({ name }) => name)).toEqual(['chain_join', 'chain_tree'])
      expect(host.shown.tools.map(({ inputSchema }) => inputSchema.required)).toEqual([
        ['parent', 'part'],
        undefined,
      ])
      expect(Object.keys(host.shown.tools[0]?.inputSchema.properties)).toEqual(['parent', 'part', 'brief'])
      expect(host.shown.commands).toEqual(['chain'])
    }
  })

  it.each([
    ['command.run', { command: 'chain' }, 'text'],
    ['tool.run', { tool: 'mcp__coordination__chain_tree' }, 'result'],
  ])('%s gives the chain, and says why there is none', async (event, e, field) => {
    const host = hostSession()
    await host.load()
    expect((await host.emit(event, e))[field]).toBe('this session is not recorded yet')
    await host.start()
    const answer = await host.emit(event, e)
    expect(answer[field]).toContain(`top ${ID}`)
    expect(answer.isTextDisplayOnly).toBe(event === 'command.run' ? true : undefined)
    const without = hostSession({ options: { recordDir: 'relative' } })
    await without.start()
    expect((await without.emit(event, e))[field]).toMatch(
      /^recordDir is not an absolute path: relative \(.+\)\. Nothing is recorded\.$/,
    )
  })

  it('settings that cannot be used are said once, whatever starts', async () => {
    const host = hostSession({ options: { recordDir: 'relative' } })
    await host.start()
    await sessionStarts(host, 'clear', PEER)
    await settled()
    expect(host.logged(/Nothing is recorded/)).toHaveLength(1)
    expect(host.shown.status).toEqual([])
    expect(host.ticks).toEqual([])
  })
})

describe('readSettings', () => {
  const settingsOf = async (host: HostSession, options = {}) => readSettings(host.$, options)

  it('the person’s options', async () => {
    const host = hostSession()
    const read = await settingsOf(host, { recordDir: '/rec', recordText: 'metadata' })
    expect(read).toEqual({
      settings: {
        recordDir: '/rec',
        recordText: 'metadata',
        projectionDir: `${host.dir}/home/.cache/coordination/${recordKey('/rec')}`,
      },
    })
  })

  it.each([undefined, 'full', 'Metadata', '', 7])('text is kept in full for %j', async recordText => {
    expect(await settingsOf(hostSession(), { recordDir: '/rec', recordText })).toMatchObject({
      settings: { recordText: 'full' },
    })
  })

  it.each([
    ['linux', { HOME: '/h' }, '/h/.local/share/coordination/record', '/h/.cache/coordination/'],
    ['linux', { HOME: '/h', XDG_DATA_HOME: '/d' }, '/d/coordination/record', '/h/.cache/coordination/'],
    [
      'linux',
      { HOME: '/h', XDG_CACHE_HOME: '/c' },
      '/h/.local/share/coordination/record',
      '/c/coordination/',
    ],
    [
      'macos',
      { HOME: '/h' },
      '/h/Library/Application Support/coordination/record',
      '/h/Library/Caches/coordination/',
    ],
    [
      'windows',
      { USERPROFILE: 'C:\\h', LOCALAPPDATA: 'C:\\l' },
      'C:\\l\\coordination\\record',
      'C:\\l\\coordination\\cache/',
    ],
  ])('ruling 11: the default folders of %s with %j', async (platform, env, recordDir, cache) => {
    const host = hostSession()
    host.platform = platform
    host.env = env as unknown as Record<string, string>
    expect(await settingsOf(host)).toMatchObject({
      settings: { recordDir, projectionDir: cache + recordKey(recordDir) },
    })
  })

  it('~/ is the home folder, on Windows the profile’s', async () => {
    const host = hostSession()
    expect(await settingsOf(host, { recordDir: '~/rec' })).toMatchObject({
      settings: { recordDir: join(host.dir, 'home', 'rec') },
    })
    host.platform = 'windows'
    host.env = { USERPROFILE: 'C:\\u', LOCALAPPDATA: 'C:\\l' }
    expect(await settingsOf(host, { recordDir: '~\\rec' })).toMatchObject({
      settings: { recordDir: 'C:\\u\\rec' },
    })
  })

  it('without a cache folder there are no projections, and the record is used', async () => {
    const host = hostSession()
    host.env = {}
    expect(await settingsOf(host, { recordDir: '/rec' })).toMatchObject({ settings: { projectionDir: null } })
  })

  it('rule.userScope: no variable of coord’s own counts', async () => {
    const host = hostSession({ env: { COORD_RECORD_DIR: `/${OTHER}`, COORD_CACHE_DIR: `/${OTHER}` } })
    expect(JSON.stringify(await settingsOf(host))).not.toContain(OTHER)
  })
})
