import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { entriesOf, PLUGIN, recordOf } from './support/coordination.ts'
import { hostCommand } from './support/host-command.ts'
import { messagesApi } from './support/messages-api.ts'
import { call, script } from './support/model-script.ts'
import { newProfile } from './support/profile.ts'
import { type StreamEvent, type StreamSession, stream } from './support/session.ts'
import { waitFor } from './support/wait-for.ts'

/** What `/chain` answers; turns that messages of other sessions give rise to may come in between. */
async function chainOf(session: StreamSession): Promise<string> {
  const before = session.events().length
  session.send('/chain')
  const isAnswer = (event: StreamEvent) =>
    event.local_command === 'custom' && session.events().indexOf(event) >= before
  return (await session.waitForEvent(isAnswer, 'the answer of /chain')).result as string
}

/** The tree in an answer, without how it was read and how long ago things were. */
function treeIn(text: string): string {
  return text.replace(/\nread from .*/s, '').replace(/last heard \S+ \([^)]*\)/g, 'last heard')
}

test('ruling 3: with a projection, with one that is older than a join, and with none, the answer is the same', async () => {
  const api = await messagesApi()
  const profile = newProfile({ api })
  const record = recordOf(profile)
  const index = () => {
    const env = { ...process.env, ...profile.env, COORD_RECORD_DIR: record }
    const run = spawnSync(process.execPath, [resolve('dist/coord.js'), 'index'], { env, encoding: 'utf8' })
    expect(run.status, run.stderr).toBe(0)
  }
  const start = () =>
    stream({
      profile,
      pluginDirs: [PLUGIN],
      settings: { crossSessionInbound: 'accept' },
      allowedTools: ['mcp__coordination__chain_join', 'SendMessage'],
    })
  // A notice that comes from another session begins a turn of its own, so what was written tells when a join is done.
  const joined = async (session: StreamSession, parent: string, part: string) => {
    session.send(script(call('mcp__coordination__chain_join', { parent, part })))
    const isWritten = () => entriesOf(record, session.sessionId(), 'chain').at(-1)?.part === part
    await waitFor(isWritten, { what: `the join "${part}"` })
  }

  const top = await start()
  const lead = await start()
  await joined(lead, top.sessionId(), 'first')
  index()
  const indexed = await chainOf(top)
  expect(indexed).toContain('read from the index')
  expect(indexed).toContain('first')

  const second = await start()
  await joined(second, lead.sessionId(), 'joined a moment ago')
  await joined(lead, '00000000-0000-4000-8000-00000000abcd', 'moved elsewhere')
  const newer = await chainOf(second)
  expect(newer).toContain('read from the index')
  expect(newer).toContain('joined a moment ago')
  expect(newer).toContain('moved elsewhere')
  expect(newer).toContain('boundary 00000000-0000-4000-8000-00000000abcd')

  // Copied in from elsewhere under an old name: it sorts before all that the projection has read.
  const copied = {
    ...{
      kind: 'message',
      side: 'sent',
      sessionId: second.sessionId(),
      at: new Date().toISOString(),
      cwd: '/',
    },
    ...{ peer: { as: 'x', sessionId: lead.sessionId() }, text: 'done', isQueued: true },
  }
  index()
  expect(await chainOf(second)).toMatch(/a moment ago\n.*since it joined: no/)
  writeFileSync(join(record, second.sessionId(), '2001-01-01T000000.000Z-old-1.json'), JSON.stringify(copied))
  const withOld = await chainOf(second)
  expect(withOld).toContain('read from the index')
  expect(withOld).toMatch(/a moment ago\n.*since it joined: yes/)

  rmSync(join(profile.home, '.cache'), { recursive: true, force: true })
  rmSync(profile.env.XDG_CACHE_HOME ?? join(profile.home, '.cache'), { recursive: true, force: true })
  const fromFiles = await chainOf(second)
  expect(fromFiles).toContain('read from the record’s files')
  expect(treeIn(fromFiles)).toBe(treeIn(withOld))
})

test('claude plugin test: the hooks’ logic', async () => {
  const api = await messagesApi()
  const { code, stdout, stderr } = await hostCommand(
    { profile: newProfile({ api }) },
    'plugin',
    'test',
    PLUGIN,
  )
  expect(stdout + stderr).toMatch(/^ ?[1-9]\d* pass\n ?0 fail/m)
  expect(code).toBe(0)
})
