import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { place } from '../support/coord.ts'
import { at } from '../support/record-builder.ts'
import { session, transcriptBuilder } from '../support/sample-transcripts.ts'

const TEXT = 'Read both, but write only numbers.'

/** A place with a record, and transcripts in folders of their own, so that scans can see some of them. */
function withTranscripts() {
  const here = place()
  here.record.start(session(1), at(0))
  const folder = (name: string) => transcriptBuilder(join(here.dir, name))
  const scan = async (out: string, ...dirs: string[]) => {
    const { code, stderr } = await here.run('scan', join(here.dir, out), '--claude', ...dirs)
    expect(code, stderr).toBe(0)
  }
  const attribute = async (...args: string[]) => (await here.run('attribute', ...args, '--json')).json()
  return { here, folder, scan, attribute, claude: folder('claude') }
}

type Transcripts = ReturnType<typeof transcriptBuilder>

/** A message to another session as the sender's transcript shows it; rows of a fork are given the same `id`. */
function sends(transcripts: Transcripts, from: string, text: string, msgId: string, id: string): void {
  const common = { sessionId: from, cwd: '/home/dev/shop', version: '2.1.332', entrypoint: 'cli' }
  const use = { type: 'tool_use', id: `toolu_${id}`, name: 'SendMessage', input: { to: 'x', message: text } }
  transcripts.row(from, {
    ...{ type: 'assistant', uuid: `a-${id}`, timestamp: at(1), ...common },
    message: { id: `msg_${id}`, role: 'assistant', content: [use] },
  })
  transcripts.row(from, {
    ...{ type: 'user', uuid: `r-${id}`, timestamp: at(2), ...common },
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `toolu_${id}`, content: '{"success":true}' }],
    },
    toolUseResult: { success: true, msg_id: msgId },
  })
}

/** The same message as the receiver's transcript shows it. */
function receives(transcripts: Transcripts, session: string, text: string, msgId: string): void {
  transcripts.typed(session, text, at(3), {
    ...{ isMeta: true, promptSource: 'system', turnOrigin: 'peer' },
    origin: { kind: 'peer', from: 'uds:/s/1.sock', msg_id: msgId, body: text },
  })
}

test('a row that stands no more where a scan read it is no evidence', async () => {
  const { here, claude, scan, attribute } = withTranscripts()
  claude.typed(session(1), TEXT, at(1))
  await scan('out', claude.dir)
  expect(await attribute('--text', TEXT)).toMatchObject({ verdict: 'person', evidence: 'transcript' })
  const before = readFileSync(claude.file(session(1)), 'utf8')
  const others = [
    before.replace('write only numbers', 'write only letters'),
    before.replace(/"uuid":"[^"]*"/, '"uuid":"another"'),
    `{}\n${before}`,
    before.slice(0, 40),
    '',
  ]
  for (const other of others) {
    writeFileSync(claude.file(session(1)), other)
    expect(await attribute('--text', TEXT), other).toMatchObject({ verdict: 'unknown', candidates: [] })
  }
  const { stderr } = await here.run('attribute', '--text', TEXT)
  expect(stderr).toContain(`${claude.file(session(1))}`)
  writeFileSync(claude.file(session(1)), before)
  expect(await attribute('--text', TEXT)).toMatchObject({ verdict: 'person' })
  rmSync(dirname(claude.file(session(1))), { recursive: true })
  expect(await attribute('--text', TEXT)).toMatchObject({ verdict: 'unknown', candidates: [] })
})

test('texts that no UTF-8 can hold share a hash and are not each other', async () => {
  const { claude, scan, attribute } = withTranscripts()
  claude.typed(session(1), '\ud800 lone', at(1))
  await scan('out', claude.dir)
  expect(await attribute('--text', '\ufffd lone')).toMatchObject({ verdict: 'unknown', candidates: [] })
})

test('what a later scan knows counts against an earlier one that did not know it', async () => {
  const { here, claude, scan, attribute } = withTranscripts()
  const common = { sessionId: session(1), cwd: '/home/dev/shop', version: '1.0.60', userType: 'external' }
  claude.row(session(1), {
    ...{ type: 'user', uuid: 'u-1', timestamp: at(1), isSidechain: false, parentUuid: null, ...common },
    message: { role: 'user', content: TEXT },
  })
  await scan('z-early', claude.dir)
  expect(await attribute('--text', TEXT)).toMatchObject({ verdict: 'unknown', evidence: 'transcript' })
  writeFileSync(
    join(claude.dir, 'history.jsonl'),
    `${JSON.stringify({ display: TEXT, pastedContents: {}, project: '/home/dev/shop', sessionId: session(1), timestamp: Date.parse(at(1)) })}\n`,
  )
  for (const late of ['z-late', 'a-late']) {
    await scan(late, claude.dir)
    for (const how of [[], ['--rebuild']]) {
      await here.run('index', ...how)
      const answer = await attribute('--text', TEXT)
      expect(answer).toMatchObject({ verdict: 'person', evidence: 'transcript' })
      expect(answer.candidates).toHaveLength(1)
    }
  }
})

test('scans of different folders that tell of different authors of one message: ambiguous, in any order', async () => {
  for (const [first, second] of [
    ['a', 'b'],
    ['b', 'a'],
  ] as const) {
    const { here, folder, claude, scan, attribute } = withTranscripts()
    const other = folder('other')
    claude.typed(session(1), TEXT, at(1))
    const row = JSON.parse(readFileSync(claude.file(session(1)), 'utf8'))
    other.row(session(2), {
      ...row,
      origin: undefined,
      promptSource: 'sdk',
      entrypoint: 'sdk-cli',
      turnOrigin: 'sdk',
    })
    const dirs = { a: [claude.dir], b: [claude.dir, other.dir] }
    await scan(first, ...dirs[first])
    await scan(second, ...dirs[second])
    expect(await attribute('--text', TEXT)).toMatchObject({ verdict: 'ambiguous', evidence: 'transcript' })
    await here.run('index', '--rebuild')
    expect(await attribute('--text', TEXT)).toMatchObject({ verdict: 'ambiguous' })
  }
})

test('ruling 7: two transcripts that hold one row of the sender, and neither says it is a copy: no sender is told', async () => {
  const { claude, scan, attribute } = withTranscripts()
  for (const sender of [session(3), session(4)]) sends(claude, sender, TEXT, 'm-1', 'one')
  receives(claude, session(2), TEXT, 'm-1')
  await scan('out', claude.dir)
  const { candidates, evidence } = await attribute('--text', TEXT, '--session', session(2))
  expect(candidates).toMatchObject([{ senderSessionId: null, msgId: 'm-1' }])
  expect(evidence).not.toBe('msgId')
})

test('ruling 7: a transcript that uses another message’s id for its own words sent nothing of it', async () => {
  const { here, claude, scan, attribute } = withTranscripts()
  sends(claude, session(9), 'something else', 'm-1', 'hostile')
  receives(claude, session(2), TEXT, 'm-1')
  await scan('out', claude.dir)
  const { evidence, candidates } = await attribute('--text', TEXT, '--session', session(2))
  expect([evidence, candidates[0].senderSessionId]).toEqual(['transcript', null])
  const { stdout } = await here.run('query', 'scanned_messages', "label = 'peer'", '--format', 'ndjson')
  expect(JSON.parse(stdout)).toMatchObject({ correlation: 'unknown', sender_session_id: null })
})

test('ruling 7: a row with the id of a message to another session is not tied to its entry', async () => {
  const { here, claude, scan, attribute } = withTranscripts()
  const peer = { as: 'x', sessionId: session(2) }
  const entry = here.record.sent(session(1), peer, TEXT, at(2), { msgId: 'm-1' })
  receives(claude, session(9), 'not these words', 'm-1')
  await scan('out', claude.dir)
  expect(await attribute('--entry', entry)).toMatchObject({ verdict: 'peer', evidence: 'record' })
  receives(claude, session(2), TEXT, 'm-1')
  await scan('out', claude.dir)
  const answer = await attribute('--entry', entry)
  expect(answer.evidence).toBe('msgId')
  expect(answer.candidates.map((one: { sessionId: string }) => one.sessionId)).toEqual([session(2)])
})
