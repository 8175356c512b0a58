import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { PLUGIN, recordOf } from './support/coordination.ts'
import { messagesApi } from './support/messages-api.ts'
import { call, script } from './support/model-script.ts'
import { newProfile, type Profile } from './support/profile.ts'
import { scan, transcripts } from './support/scanning.ts'
import { interactive, type Session, type SessionOptions, stream } from './support/session.ts'
import { waitFor } from './support/wait-for.ts'

async function bench() {
  const profile = newProfile({ api: await messagesApi() })
  const options = (name: string, more: Partial<SessionOptions> = {}) => ({
    ...{ profile, name, pluginDirs: [PLUGIN] },
    ...more,
  })
  const coord = (...args: string[]) => {
    const env = { ...process.env, ...profile.env, COORD_RECORD_DIR: recordOf(profile) }
    const run = spawnSync(process.execPath, [resolve('dist/coord.js'), ...args], { env, encoding: 'utf8' })
    expect(run.status, run.stderr).toBe(0)
    return run.stdout
  }
  const columns = 'session_id,side,text,is_queued,outcome,msg_id,fate,fate_evidence,file'
  /** The messages of a session as the record and the scans tell of them, by their texts. */
  const messages = (of: Session): Record<string, Row[]> => {
    const { rows } = JSON.parse(
      coord('query', 'messages', `session_id = '${of.sessionId()}'`, '--select', columns, '--json'),
    ) as { rows: Row[] }
    const byText: Record<string, Row[]> = {}
    for (const row of rows) byText[row.text] = [...(byText[row.text] ?? []), row]
    return byText
  }
  const scanInto = (name: string, ...roots: string[]) => {
    const out = join(profile.dir, name)
    coord('scan', out, '--claude', ...(roots.length > 0 ? roots : [profile.config]))
    return out
  }
  return { profile, options, coord, messages, scanInto }
}

interface Row {
  session_id: string
  side: string
  text: string
  is_queued: boolean | null
  outcome: string | null
  msg_id: string | null
  fate: string | null
  fate_evidence: string | null
  file: string
}

function send(to: string, message: string) {
  return call('SendMessage', { to, summary: 's', message })
}

/** Waits until a scan finds what the host told of messages, and what peers were given. */
function until(profile: Profile, kind: 'delivery_notice' | 'peer_idle', words: RegExp) {
  let found: string[] = []
  return waitFor(
    () => {
      const told = scan([profile]).messages.filter(one => one.kind === kind)
      found = told.map(one => one.words)
      return told.find(one => words.test(one.words))
    },
    { what: `a ${kind} of ${words}`, seen: () => found.join('\n') },
  )
}

/** The line of a transcript that the evidence names: it holds the id. */
function rowIn(evidence: string | null): { line: string; scan: string } {
  const [, id = '', file = '', line = 0, row = '', scan = ''] =
    /: msg_id (\S+) in (.*) line (\d+), row (\S+), scan (.*)$/.exec(evidence ?? '') ?? []
  const text = readFileSync(file, 'utf8').split('\n')[Number(line) - 1] ?? ''
  expect([text.includes(id), text.includes(row)], `${evidence}`).toEqual([true, true])
  return { line: text, scan }
}

test('ruling 13: what became of a plain, a repeated, a refused and a held message stands beside what the record says', async () => {
  const { profile, options, coord, messages, scanInto } = await bench()
  const start = (name: string, crossSessionInbound: string) =>
    stream(options(name, { settings: { crossSessionInbound } }))
  const [plain, refusing, holding] = [
    await start('plain', 'accept'),
    await start('refusing', 'refuse'),
    await start('holding', 'hold'),
  ]
  const sender = await stream(options('sender'))
  await sender.ask(
    script([
      send('plain', 'to be read'),
      send('plain', 'again'),
      send('plain', 'again'),
      send('refusing', 'to a closed door'),
      send('holding', 'to wait'),
      send('nobody', 'lost'),
    ]),
  )
  for (const outcome of [/was refused/, /was held by/, /was dropped at/])
    await until(profile, 'delivery_notice', outcome)
  await until(profile, 'peer_idle', /to be read/)
  const before = messages(sender)
  expect(
    Object.values(before)
      .flat()
      .map(one => one.fate),
  ).toEqual(Array(6).fill(null))

  const out = scanInto('scanned')
  const sent = messages(sender)
  const told = (text: string) => sent[text]?.map(one => [one.is_queued, one.fate])
  // The host said of all of them but the last that they were delivered.
  expect(told('to be read')).toEqual([[true, 'read']])
  expect(told('again')?.toSorted()).toEqual([
    [true, 'dropped'],
    [true, 'read'],
  ])
  expect(told('to a closed door')).toEqual([[true, 'refused']])
  expect(told('to wait')).toEqual([[true, 'held']])
  expect(told('lost')).toEqual([[false, null]])
  for (const { fate, fate_evidence, msg_id } of Object.values(sent).flat()) {
    if (fate === null) continue
    const { line, scan } = rowIn(fate_evidence)
    expect([line.includes(msg_id ?? '?'), scan]).toEqual([true, out])
    expect(line).toContain(fate === 'read' ? '"origin":{"kind":"peer"' : '[Cross-session delivery notice]')
  }

  // The other side's entries: what arrived and was read, and what waits.
  const received = (of: Session, text: string) => messages(of)[text]?.map(one => [one.outcome, one.fate])
  expect(received(plain, 'to be read')).toEqual([['queued', 'read']])
  // Two entries fit the one that was read: whose fate it is, nothing says.
  expect(received(plain, 'again')).toEqual([
    ['queued', 'unknown'],
    ['queued', 'unknown'],
  ])
  expect(received(holding, 'to wait')).toEqual([['rejected', 'unknown']])
  expect(messages(refusing)).toEqual({})

  const attributed = JSON.parse(coord('attribute', '--text', 'to a closed door', '--json'))
  expect(attributed.candidates).toMatchObject([
    { fate: 'refused', fateEvidence: sent['to a closed door']?.[0]?.fate_evidence },
  ])
})

test('ruling 13: a held message that its receiver’s user lets through is held, then read, and stays rejected in the record; another is denied', async () => {
  const { profile, options, messages, scanInto } = await bench()
  const receiver = await interactive(options('receiver'))
  const sender = await stream(options('sender', { bypassPermissions: true }))
  const ask = async (text: string) => {
    await sender.ask(script(send('receiver', text)))
    await receiver.waitForScreen(/Held message from another session[\s\S]*❯ Deny/)
    await receiver.dialogTakesKeys()
    await until(profile, 'delivery_notice', /was held by/)
  }
  await ask('to be let through')
  scanInto('scanned')
  const sent = () => messages(sender)['to be let through']?.[0]
  const received = () => messages(receiver)['to be let through']?.[0]
  expect(sent()).toMatchObject({ is_queued: true, fate: 'held' })
  expect(received()).toMatchObject({ outcome: 'rejected', fate: 'unknown' })

  receiver.press('down')
  await receiver.waitForScreen(/❯ Deliver this message/)
  receiver.press('enter')
  await until(profile, 'delivery_notice', /was approved and released/)
  await until(profile, 'peer_idle', /to be let through/)
  // A scan of the sender's transcripts alone knows no more than what the host told the sender.
  const own = transcripts(profile).filter(file => file.includes(sender.sessionId()))
  scanInto('scanned', ...own)
  expect(sent()).toMatchObject({ fate: 'released' })
  expect(received()).toMatchObject({ outcome: 'rejected', fate: 'unknown' })
  expect(rowIn(sent()?.fate_evidence ?? null).line).toContain('approved and released')
  scanInto('scanned')
  const [ofSender, ofReceiver] = [sent(), received()]
  expect(ofSender).toMatchObject({ is_queued: true, fate: 'read' })
  // Nothing written is changed.
  expect(ofReceiver).toMatchObject({ outcome: 'rejected', msg_id: null, fate: 'read' })
  expect(ofReceiver?.fate_evidence).toBe(ofSender?.fate_evidence)
  expect(rowIn(ofSender?.fate_evidence ?? null).line).toContain(receiver.sessionId())

  await ask('to be denied')
  receiver.press('enter')
  await until(profile, 'delivery_notice', /was denied/)
  scanInto('scanned')
  expect(messages(sender)['to be denied']).toMatchObject([{ is_queued: true, fate: 'denied' }])
  expect(sent()).toMatchObject({ fate: 'read' })
})
