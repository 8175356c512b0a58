import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { resolvePeer } from '../../src/plugin/peer-registry.ts'
import { ADDRESS, hostSession, OTHER, PEER } from './support/host-session.ts'

const SOCKET = ADDRESS.slice(4)

function resolve(prepare: (host: ReturnType<typeof hostSession>) => void, as: string) {
  const host = hostSession()
  prepare(host)
  return resolvePeer(host.$, as)
}

describe('ruling 6: the one live session under an address', () => {
  it('is that of the process which the address names', async () => {
    const lists = (host: ReturnType<typeof hostSession>) => {
      host.lists(8103, { sessionId: PEER, messagingSocketPath: SOCKET })
      host.lists(8104, { sessionId: OTHER, messagingSocketPath: '/run/cc-socks/8104.sock' })
    }
    expect(await resolve(lists, ADDRESS)).toBe(PEER)
    expect(await resolve(lists, 'uds:/run/cc-socks/8104.sock')).toBe(OTHER)
  })

  it.each([
    ['another socket of that process', { sessionId: PEER, messagingSocketPath: '/run/other/8103.sock' }],
    ['no socket', { sessionId: PEER }],
    ['an id that is none', { sessionId: '../x', messagingSocketPath: SOCKET }],
    ['no id', { messagingSocketPath: SOCKET }],
    ['a torn line', '{"sessionId":'],
    ['null', 'null'],
  ])('nobody, where the line has %s', async (_, row) => {
    expect(await resolve(host => host.lists(8103, row), ADDRESS)).toBeUndefined()
  })

  it.each([
    'uds:/run/cc-socks/8103.sock.old',
    'uds:/run/cc-socks/8103',
    'uds:/run/cc-socks/8103.sock ',
    '/run/cc-socks/8103.sock',
  ])('nobody, for %s', async as => {
    expect(
      await resolve(host => host.lists(8103, { sessionId: PEER, messagingSocketPath: as.slice(4) }), as),
    ).toBe(undefined)
  })

  it('nobody, where there is no registry', async () => {
    expect(await resolve(() => {}, ADDRESS)).toBeUndefined()
    expect(await resolve(() => {}, 'reviewer')).toBeUndefined()
  })
})

describe('ruling 6: the one live session of a name', () => {
  const two = (host: ReturnType<typeof hostSession>) => {
    host.lists(1, { sessionId: PEER, name: 'reviewer' })
    host.lists(2, { sessionId: OTHER, name: 'tester' })
    host.lists(4, { sessionId: PEER, name: 'a [0a9f3c] b' })
  }

  it.each([
    ['reviewer', PEER],
    ['tester', OTHER],
    // ListAgents prints it so.
    ['reviewer [0a9f3c]', PEER],
    ['a [0a9f3c] b', PEER],
    ['review', undefined],
    ['reviewer2', undefined],
    ['Reviewer', undefined],
    ['reviewer [0a9f3c] ', undefined],
    ['reviewer [0a9f3]', undefined],
    ['reviewer [0a9f3cd]', undefined],
    ['reviewer [0A9F3C]', undefined],
    ['reviewer[0a9f3c]', undefined],
    ['', undefined],
  ])('%j is %s', async (as, id) => {
    expect(await resolve(two, as)).toBe(id)
  })

  it('nobody, where two have it', async () => {
    const twice = (host: ReturnType<typeof hostSession>) => {
      two(host)
      host.lists(3, { sessionId: OTHER, name: 'reviewer' })
    }
    expect(await resolve(twice, 'reviewer')).toBeUndefined()
  })

  it('a line that cannot be read hides none of the others, and other files are no lines', async () => {
    const damaged = (host: ReturnType<typeof hostSession>) => {
      two(host)
      host.lists(3, '{')
      for (const name of ['4.json.tmp', 'x4.json', '4.jsonl', 'x.json', '.4.json'])
        host.lists(name, { sessionId: OTHER, name: 'reviewer' })
    }
    expect(await resolve(damaged, 'reviewer')).toBe(PEER)
  })
})

describe('the host’s configuration folder', () => {
  function registryIn(folder: string) {
    mkdirSync(join(folder, 'sessions'), { recursive: true })
    writeFileSync(join(folder, 'sessions', '1.json'), JSON.stringify({ sessionId: PEER, name: 'reviewer' }))
  }

  it('is the one that the transcript lies in, also where a folder above is named projects', async () => {
    const host = hostSession()
    const config = join(host.dir, 'projects', 'config')
    registryIn(config)
    host.transcriptPath = `${config}/projects/p/x.jsonl`
    expect(await resolvePeer(host.$, 'reviewer')).toBe(PEER)
  })

  it('else what the person’s variable names, else the one at home', async () => {
    const host = hostSession()
    host.transcriptPath = ''
    registryIn(join(host.dir, 'home', '.claude'))
    expect(await resolvePeer(host.$, 'reviewer')).toBe(PEER)
    host.env.CLAUDE_CONFIG_DIR = join(host.dir, 'other')
    expect(await resolvePeer(host.$, 'reviewer')).toBeUndefined()
    registryIn(host.env.CLAUDE_CONFIG_DIR)
    expect(await resolvePeer(host.$, 'reviewer')).toBe(PEER)
  })

  it('a host that does not answer resolves nobody', async () => {
    const host = hostSession()
    host.$.session.info = async () => {
      throw new Error('no info')
    }
    expect(await resolvePeer(host.$, 'reviewer')).toBeUndefined()
  })
})
