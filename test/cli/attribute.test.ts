import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Place, place } from '../support/coord.ts'
import { at, envelope, resolved } from '../support/record-builder.ts'

const verdicts = ['person', 'peer', 'launcher', 'notice', 'unknown', 'ambiguous']
const evidences = ['msgId', 'candidates', 'record', 'transcript', 'none']

async function attribution(here: Place, ...args: string[]) {
  const outcome = await here.run('attribute', ...args, '--json')
  expect(outcome.code, outcome.stderr).toBe(0)
  const answer = outcome.json()
  expect(verdicts).toContain(answer.verdict)
  expect(evidences).toContain(answer.evidence)
  expect(Array.isArray(answer.candidates)).toBe(true)
  return answer
}

describe('coord attribute', () => {
  test('a text that one session received from one peer is a peer’s, by the record', async () => {
    const here = place()
    const file = here.record.received('s', 'reviewer', 'please look at it', at(1))
    const answer = await attribution(here, '--text', 'please look at it')
    expect(answer.verdict).toBe('peer')
    expect(answer.evidence).not.toBe('none')
    expect(JSON.stringify(answer.candidates)).toContain(file)
    expect(JSON.stringify(answer.candidates)).toContain('reviewer')
  })

  test('rule.startEntry: a text that is not in the record is unknown, never a person’s', async () => {
    const here = place()
    here.record.start('s', at(0))
    here.record.received('s', 'reviewer', 'please look at it', at(1))
    const nearly = ['please look at it ', 'Please look at it', 'please look', 'something else']
    for (const text of nearly) {
      expect(await attribution(here, '--text', text), text).toMatchObject({
        verdict: 'unknown',
        evidence: 'none',
        candidates: [],
      })
    }
  })

  test('rule.peerAsSeen: two peers who sent identical text are ambiguous, and both are named', async () => {
    const here = place()
    const one = here.record.received('s', 'one', 'go on', at(1))
    const two = here.record.received('s', 'two', 'go on', at(2))
    const answer = await attribution(here, '--text', 'go on')
    expect(answer.verdict).toBe('ambiguous')
    for (const named of [one, two]) expect(JSON.stringify(answer.candidates)).toContain(named)
  })

  test('--session and --at narrow it down', async () => {
    const here = place()
    here.record.received('s', 'one', 'go on', at(0))
    const other = here.record.received('t', 'two', 'go on', at(86_400))
    const bySession = await attribution(here, '--text', 'go on', '--session', 't')
    expect(bySession.verdict).toBe('peer')
    expect(JSON.stringify(bySession.candidates)).toContain(other)
    const byTime = await attribution(here, '--text', 'go on', '--at', at(86_401))
    expect(byTime.verdict).toBe('peer')
    expect(JSON.stringify(byTime.candidates)).toContain(other)
    const neither = await attribution(here, '--text', 'go on', '--session', 'nobody')
    expect(neither).toMatchObject({ verdict: 'unknown', evidence: 'none' })
  })

  test('--text-file reads the text byte for byte', async () => {
    const here = place()
    const text = 'line\r\n\u2028 "x" \n\n'
    here.record.received('s', 'reviewer', text, at(1))
    const file = join(here.dir, 'text')
    writeFileSync(file, text)
    expect((await attribution(here, '--text-file', file)).verdict).toBe('peer')
    writeFileSync(file, text.trimEnd())
    expect((await attribution(here, '--text-file', file)).verdict).toBe('unknown')
  })

  test('rule.metadataOnly: length and hash are enough', async () => {
    const here = place()
    const text = 'confidential'
    const textSha256 = createHash('sha256').update(text).digest('hex')
    here.record.received('s', 'reviewer', '', at(1), { text: undefined, textLength: 12, textSha256 })
    expect((await attribution(here, '--text', text)).verdict).toBe('peer')
  })

  test('--entry names a received entry, relative to the record or absolute', async () => {
    const here = place()
    const file = here.record.received('s', 'reviewer', 'please', at(1))
    for (const path of [file, here.record.path(file)]) {
      const answer = await attribution(here, '--entry', path)
      expect(answer.verdict, path).toBe('peer')
    }
  })

  test('rule.sentIsAuthority: --entry of a sent entry: its writer is who sent it', async () => {
    const here = place()
    const file = here.record.sent('s', 'reviewer', 'please', at(1))
    const fits = here.record.received('t', 'uds:/run/s/1.sock', 'please', at(2))
    const answer = await attribution(here, '--entry', file)
    expect(answer).toMatchObject({ verdict: 'peer', evidence: 'record', candidates: [{ file: fits }] })
  })

  test.each(['s/2026-11-01T100001.000Z-nothing.json', '../../../etc/passwd', '/etc/passwd', 's', ''])(
    'case 13: --entry %j is no entry of the record: an error, nothing of it is shown',
    async path => {
      const here = place()
      here.record.received('s', 'reviewer', 'please', at(1))
      const outcome = await here.run('attribute', '--entry', path, '--json')
      expect([1, 2]).toContain(outcome.code)
      expect(outcome.stdout).toBe('')
      expect(outcome.error().message).toMatch(/\S/)
      expect(outcome.stderr).not.toContain('root:')
    },
  )

  test('ruling 7: same text and time alone are candidates, never a match', async () => {
    const here = place()
    const one = here.record.sent('a', 'b', 'go on', at(1))
    const two = here.record.sent('c', 'b', 'go on', at(1))
    const received = here.record.received('b', 'uds:/run/s/1.sock', 'go on', at(1.2))
    const answer = await attribution(here, '--entry', received)
    expect(answer.evidence).toBe('candidates')
    for (const file of [one, two]) expect(JSON.stringify(answer.candidates)).toContain(file)
    const elsewhere = await attribution(here, '--text', 'go on', '--session', 'd')
    expect(elsewhere).toMatchObject({ verdict: 'unknown', evidence: 'candidates' })
  })

  test('the whole delivery, envelope and all, is found too or is unknown, never a person’s', async () => {
    const here = place()
    here.record.received('s', 'reviewer', 'please', at(1))
    const answer = await attribution(here, '--text', `${envelope.before}please${envelope.after}`)
    expect(['peer', 'unknown']).toContain(answer.verdict)
  })

  test('an answer over a record with unreadable files is partial', async () => {
    const here = place()
    here.record.received('s', resolved('t'), 'please', at(1))
    here.record.raw('s', '2026-11-01T100002.000Z-torn.json', '')
    expect((await here.run('attribute', '--text', 'please', '--json')).code).toBe(8)
  })

  test('for people it says what it found and on what evidence', async () => {
    const here = place()
    here.record.received('s', 'reviewer', 'please', at(1))
    const { code, stdout } = await here.run('attribute', '--text', 'please')
    expect(code).toBe(0)
    expect(stdout).toContain('peer')
    expect(stdout).toContain('reviewer')
  })
})
