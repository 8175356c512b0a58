import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { placeOf } from '../../src/indexer/place.ts'
import { refreshIndex } from '../../src/indexer/refresh-index.ts'
import { recordLookup } from '../../src/scan/record-in-index.ts'
import { openIndex } from '../../src/sqlite/read-index.ts'
import { entriesOf, PLUGIN, recordOf } from './support/coordination.ts'
import { endingFolder } from './support/endings.ts'
import { gate } from './support/gate.ts'
import { messagesApi } from './support/messages-api.ts'
import { call, script } from './support/model-script.ts'
import { newProfile, type Profile } from './support/profile.ts'
import { scan, type Told, transcripts } from './support/scanning.ts'
import { type Session, type SessionOptions, type StreamSession, stream } from './support/session.ts'
import { waitFor } from './support/wait-for.ts'

async function bench() {
  const profile = newProfile({ api: await messagesApi() })
  const start = (name: string, more: Partial<SessionOptions> = {}) =>
    stream({
      profile,
      name,
      pluginDirs: [PLUGIN],
      settings: ACCEPT,
      allowedTools: ['Agent', 'SendMessage'],
      ...more,
    })
  return { profile, record: recordOf(profile), start }
}

const ACCEPT = { crossSessionInbound: 'accept' }

function send(to: string, message: string) {
  return call('SendMessage', { to, summary: 's', message })
}

/** Sends, and waits until the receiver's transcript holds it: `count` messages are there then. */
async function deliver(
  sender: StreamSession,
  receiver: Session,
  profile: Profile,
  text: string,
  count: number,
) {
  await sender.ask(script(send('receiver', text)))
  const arrived = () => peersIn(scan([profile]).messages, receiver.sessionId())
  return waitFor(() => arrived().length >= count && arrived(), { what: `${count} messages at the receiver` })
}

function peersIn(messages: Told[], sessionId: string): Told[] {
  return messages.filter(one => one.label === 'peer' && one.session === sessionId)
}

/** Scans with what a record's index says. */
async function scanWith(recordDir: string, profiles: Profile[]): Promise<Told[]> {
  const place = placeOf(recordDir, endingFolder())
  await refreshIndex(place)
  const db = await openIndex(place.indexPath, recordDir)
  try {
    return scan(profiles, { record: recordLookup(db) }).messages
  } finally {
    db.close()
  }
}

/** How a message is tied to its sender, in short. */
function tie({ evidence: { correlation } }: Told) {
  const sessions = (places: { in: string; session: string }[] = []) =>
    places.map(place => `${place.in} ${place.session}`).sort()
  return {
    evidence: correlation?.evidence,
    sent: sessions(correlation?.sent),
    candidates: sessions(correlation?.candidates),
  }
}

const msgIdOf = (entry: { msgId?: string } | undefined) => entry?.msgId

test('ruling 7: two peers send identical text: each message is its sender’s by the host’s id, and by nothing less', async () => {
  const { profile, record, start } = await bench()
  const receiver = await start('receiver')
  const [one, two] = [await start('one'), await start('two')]
  await deliver(one, receiver, profile, 'the same words', 1)
  await deliver(two, receiver, profile, 'the same words', 2)
  const [id, first, second] = [receiver.sessionId(), one.sessionId(), two.sessionId()]
  const received = peersIn(await scanWith(record, [profile]), id)
  expect(received.map(({ words, confidence, kind }) => [words, confidence, kind])).toEqual([
    ['the same words', 'high', 'peer_idle'],
    ['the same words', 'high', 'peer_idle'],
  ])
  expect(received.map(tie)).toEqual(
    [first, second].map(session => ({
      evidence: 'msgId',
      sent: [`record ${session}`, `transcript ${session}`],
      candidates: [],
    })),
  )
  expect(received.map(message => message.evidence.correlation?.msgId)).toEqual(
    [one, two].map(session => msgIdOf(entriesOf(record, session.sessionId(), 'message')[0])),
  )
  for (const message of received) expect(message.evidence.record?.received).toHaveLength(2)

  // The record alone on the sender's side, as where the senders worked on another machine.
  const senders = transcripts(profile).filter(file => !file.includes(id))
  const kept = senders.map(file => [file, readFileSync(file)] as const)
  for (const file of senders) rmSync(file)
  const byRecord = peersIn(await scanWith(record, [profile]), id)
  expect(byRecord.map(tie)).toEqual(
    [first, second].map(session => ({ evidence: 'msgId', sent: [`record ${session}`], candidates: [] })),
  )
  // Nothing on the sender's side: that a message has an id tells nothing of who sent it.
  expect(peersIn(scan([profile]).messages, id).map(tie)).toEqual(
    [1, 2].map(() => ({ evidence: 'unknown', sent: [], candidates: [] })),
  )
  // Entries without the host's id, as the record held them before it kept one: both fit both, and neither is a match.
  const older = join(endingFolder(), 'record')
  cpSync(record, older, { recursive: true })
  for (const name of readdirSync(older, { recursive: true, encoding: 'utf8' }).filter(one =>
    one.endsWith('.json'),
  )) {
    const { msgId: _, ...entry } = JSON.parse(readFileSync(join(older, name), 'utf8'))
    writeFileSync(join(older, name), JSON.stringify(entry))
  }
  const both = [`record ${first}`, `record ${second}`].sort()
  expect(peersIn(await scanWith(older, [profile]), id).map(tie)).toEqual(
    [1, 2].map(() => ({ evidence: 'candidates', sent: [], candidates: both })),
  )
  for (const [file, bytes] of kept) writeFileSync(file, bytes)
})

test('ruling 7: an agent’s message to its session is tied to none; one to another session to the agent’s session', async () => {
  const { profile, record, start } = await bench()
  const receiver = await start('receiver')
  const sender = await start('sender')
  const agent = (prompt: string) =>
    call('Agent', { description: 'a', subagent_type: 'general-purpose', run_in_background: false, prompt })
  await sender.ask(
    script(agent(script(send('main', 'to my session'))), agent(script(send('receiver', 'to another')))),
  )
  const find = async (session: Session, words: RegExp) =>
    waitFor(
      async () =>
        peersIn(await scanWith(record, [profile]), session.sessionId()).find(one => words.test(one.words)),
      { what: `${words} in ${session.sessionId()}` },
    )
  const inside = await find(sender, /to my session/)
  expect(inside).toMatchObject({ words: 'to my session', kind: 'agent_message' })
  expect(tie(inside)).toEqual({ evidence: 'unknown', sent: [], candidates: [] })
  const outside = await find(receiver, /to another/)
  const id = sender.sessionId()
  expect(tie(outside)).toEqual({
    evidence: 'msgId',
    sent: [`record ${id}`, `transcript ${id}`],
    candidates: [],
  })
  const sent = outside.evidence.correlation?.sent.find(place => place.in === 'transcript')
  expect(sent && 'source' in sent && sent.source.file).toMatch(/subagents/)
})

test('ruling 7: a message that arrives while a turn runs is tied like one that begins a turn', async () => {
  const { profile, record, start } = await bench()
  const receiver = await start('receiver', { allowedTools: ['Bash'] })
  const sender = await start('sender')
  const { command, open } = gate()
  receiver.send(script(call('Bash', { command, description: 'd' })))
  await waitFor(() => transcripts(profile).some(file => /"name":"Bash"/.test(readFileSync(file, 'utf8'))), {
    what: 'the turn to run',
  })
  await sender.ask(script(send('receiver', 'while it runs')))
  // Its prompt was the first thing in the receiver's queue; a row of the queue does not say what it is.
  const queued = () =>
    transcripts(profile)
      .flatMap(file => readFileSync(file, 'utf8').split('\n'))
      .filter(row => row.includes('"operation":"enqueue"') && row.endsWith('}'))
      .map(row => JSON.parse(row).sessionId as string)
  await waitFor(() => new Set(queued()).size < queued().length, {
    what: 'the message to wait for the turn',
    seen: () => queued().join('\n'),
  })
  open()
  await waitFor(() => receiver.results().length > 0, { what: 'the turn to end' })
  const messages = await scanWith(record, [profile])
  const [received] = peersIn(messages, receiver.sessionId())
  expect(received).toMatchObject({ words: 'while it runs', kind: 'peer_mid_turn', confidence: 'high' })
  const id = sender.sessionId()
  expect(received && tie(received)).toEqual({
    evidence: 'msgId',
    sent: [`record ${id}`, `transcript ${id}`],
    candidates: [],
  })
  expect(messages.filter(one => one.label === 'unresolved' || one.label === 'person')).toEqual([])
})

test('ruling 7: a session that was resumed, and one that goes on from it, hold each message once, by its sender', async () => {
  const { profile, record, start } = await bench()
  const sender = await start('sender')
  const before = await start('receiver')
  await deliver(sender, before, profile, 'before', 1)
  const resume = before.sessionId()
  await waitFor(() => before.results().length > 0, { what: 'the turn that the message begins' })
  expect(await before.end()).toBe(0)
  const resumed = await start('receiver', { resume })
  expect(resumed.sessionId()).toBe(resume)
  await deliver(sender, resumed, profile, 'after', 2)
  await waitFor(() => resumed.results().length > 0, { what: 'the turn that the message begins' })
  expect(await resumed.end()).toBe(0)
  const fork = await start('receiver', { resume, fork: true })
  expect(fork.sessionId()).not.toBe(resume)
  await deliver(sender, fork, profile, 'in the fork', 1)
  // The sender is copied too, with what it sent.
  const id = sender.sessionId()
  expect(await sender.end()).toBe(0)
  const copy = await start('sender', { resume: id, fork: true })
  await copy.ask('go on')
  expect(copy.sessionId()).not.toBe(id)
  const messages = (await scanWith(record, [profile])).filter(one => one.label === 'peer')
  expect(messages.map(one => [one.words, one.session])).toEqual([
    ['before', resume],
    ['after', resume],
    ['in the fork', fork.sessionId()],
  ])
  for (const message of messages)
    expect(tie(message)).toEqual({
      evidence: 'msgId',
      sent: [`record ${id}`, `transcript ${id}`],
      candidates: [],
    })
  // With the original gone, the copy still names it.
  for (const file of transcripts(profile)) if (file.includes(id)) rmSync(file)
  const [copied] = (await scanWith(record, [profile])).filter(one => one.label === 'peer')
  expect(copied && tie(copied).sent).toEqual([`record ${id}`, `transcript ${id}`])
  // Beside the copies in the fork's transcript.
  expect(messages.map(one => one.alsoAt.length)).toEqual([1, 1, 0])
})

test('ruling 7: with the transcripts deleted, the same question answers from the record alone, and says less', async () => {
  const { profile, record, start } = await bench()
  const receiver = await start('receiver')
  const [one, two] = [await start('one'), await start('two')]
  await deliver(one, receiver, profile, 'ours', 1)
  await deliver(two, receiver, profile, 'ours', 2)
  await deliver(one, receiver, profile, 'mine', 3)
  receiver.send('not a peer’s')
  const coord = (...args: string[]) => {
    const env = { ...process.env, ...profile.env, COORD_RECORD_DIR: record }
    const run = spawnSync(process.execPath, [resolve('dist/coord.js'), ...args], { env, encoding: 'utf8' })
    expect(run.status, run.stderr).toBe(0)
    return run
  }
  const asked = (text: string) => {
    const args = ['attribute', '--text', text, '--session', receiver.sessionId(), '--json']
    const { verdict, evidence, candidates } = JSON.parse(coord(...args).stdout)
    return { verdict, evidence, candidates }
  }
  await waitFor(() => scan([profile]).messages.some(message => message.words === 'not a peer’s'), {
    what: 'the prompt in the transcript',
  })
  coord('scan', join(profile.dir, 'scanned'), '--claude', profile.config)
  const withTranscripts = { ours: asked('ours'), mine: asked('mine'), prompt: asked('not a peer’s') }
  expect(withTranscripts.mine).toMatchObject({ verdict: 'peer', evidence: 'msgId' })
  expect(withTranscripts.ours).toMatchObject({ verdict: 'ambiguous', evidence: 'msgId' })
  expect(withTranscripts.prompt).toMatchObject({ verdict: 'launcher', evidence: 'transcript' })
  const senders = (candidates: { senderSessionId?: string }[]) =>
    candidates.flatMap(candidate => candidate.senderSessionId ?? [])
  expect(senders(withTranscripts.ours.candidates)).toEqual([one.sessionId(), two.sessionId()])

  for (const session of [receiver, one, two]) await session.kill()
  rmSync(join(profile.config, 'projects'), { recursive: true })
  const alone = { ours: asked('ours'), mine: asked('mine'), prompt: asked('not a peer’s') }
  expect(alone.mine).toMatchObject({ verdict: 'peer', evidence: 'record' })
  expect(alone.ours).toMatchObject({ verdict: 'ambiguous', evidence: 'record' })
  expect(alone.prompt).toEqual({ verdict: 'unknown', evidence: 'none', candidates: [] })
  for (const answer of [alone.mine, alone.ours]) expect(senders(answer.candidates)).toEqual([])
})
