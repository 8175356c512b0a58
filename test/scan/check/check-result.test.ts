import { hash } from 'node:crypto'
import { appendFileSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type CheckAnswer, checkResult } from '../../../src/scan/check/check-result.ts'
import { resolveMessages, traceDirections } from '../../../src/scan/result/decide.ts'
import { readManifest } from '../../../src/scan/result/read-result.ts'
import { at } from '../../support/record-builder.ts'
import { session, transcriptBuilder } from '../../support/sample-transcripts.ts'
import { linesOf, rowsOf, scanInto } from '../../support/scanned-result.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { write } from '../../support/transcripts.ts'

type Json = Record<string, unknown>

const nobody = { by: null, now: new Date() }
const check = (out: string): Promise<CheckAnswer> => checkResult(out, new Date())

/** Gives every direction a verdict, and every unresolved message a label. */
async function settleAll(out: string): Promise<void> {
  const { unresolved, directions } = rowsOf(out)
  const open = unresolved.map(({ id }) => id)
  if (open.length > 0) await resolveMessages(out, open, { label: 'launcher', reason: 'x', ...nobody })
  const ids = directions.map(({ id }) => id)
  if (ids.length > 0) await traceDirections(out, ids, { outcome: 'open', evidence: 'looked', ...nobody })
}

function place() {
  const dir = tempFolder()
  return { dir, out: join(dir, 'out'), transcripts: transcriptBuilder(join(dir, 'claude')) }
}

async function settled() {
  const here = place()
  here.transcripts.typed(session(1), 'mend the fence', at(0))
  here.transcripts.answer(session(1), 'mended', at(1))
  here.transcripts.peer(session(1), 'the gate is done', at(2))
  await scanInto(here.out, here.transcripts.dir)
  await settleAll(here.out)
  return here
}

describe('rule.completeOrLabelled: a result is complete only where its check passed', () => {
  test('everything holds: complete, in the manifest and at the head of the report', async () => {
    const { out } = await settled()
    expect(readManifest(out)).toMatchObject({ status: 'incomplete', check: null })
    expect(await check(out)).toEqual({ passed: true, problems: [], notes: [] })
    expect(readManifest(out)).toMatchObject({ status: 'complete', check: { passed: true } })
    expect(readFileSync(join(out, 'report.md'), 'utf8').split('\n').slice(0, 3).join()).toContain(
      'Status: complete',
    )
  })

  test('one attribution left unresolved: the check refuses, and the result stays labelled incomplete', async () => {
    const { out, transcripts } = place()
    transcripts.background(session(1), 'at night', at(0))
    await scanInto(out, transcripts.dir)
    const { id } = rowsOf(out).unresolved[0] as { id: string }
    const { passed, problems } = await check(out)
    expect(passed).toBe(false)
    expect(problems).toEqual([expect.stringContaining(`${id} is unresolved`)])
    expect(readManifest(out)).toMatchObject({ status: 'incomplete', check: { passed: false, problems } })
    await resolveMessages(out, [id], { label: 'notice', reason: 'x', ...nobody })
    expect((await check(out)).passed).toBe(true)
  })

  test('a result that was changed after its check is incomplete again', async () => {
    const { out } = await settled()
    await check(out)
    await traceDirections(out, [rowsOf(out).directions[0]?.id as string], {
      outcome: 'done',
      evidence: 'x',
      ...nobody,
    })
    expect(readManifest(out).status).toBe('incomplete')
  })
})

test('rule.everyDirectionTraced: a direction without a verdict is refused, one that is stated as open is not', async () => {
  const { out, transcripts } = place()
  transcripts.typed(session(1), 'mend the fence', at(0))
  await scanInto(out, transcripts.dir)
  const { id } = rowsOf(out).directions[0] as { id: string }
  expect((await check(out)).problems).toEqual([expect.stringContaining(`direction ${id} has no verdict`)])
  await traceDirections(out, [id], { outcome: 'open', evidence: 'looked in src', ...nobody })
  expect((await check(out)).passed).toBe(true)
})

describe('sources', () => {
  test('one that has grown since the scan is noted', async () => {
    const { out, transcripts } = await settled()
    transcripts.typed(session(1), 'one more', at(9))
    const { passed, notes } = await check(out)
    expect([passed, notes]).toEqual([true, [expect.stringMatching(/has grown by \d+ bytes/)]])
  })

  test.each([
    ['gone', 'cannot be read any more', (file: string) => rmSync(file)],
    ['shorter', 'does not begin with the bytes', (file: string) => writeFileSync(file, '')],
    [
      'of other bytes',
      'does not begin with the bytes',
      (file: string) => writeFileSync(file, readFileSync(file, 'utf8').replace('fence', 'hedge')),
    ],
  ])('one that is %s is a problem', async (_, what, change) => {
    const { out, transcripts } = await settled()
    change(transcripts.file(session(1)))
    const { passed, problems } = await check(out)
    expect([passed, problems]).toEqual([false, [expect.stringContaining(what)]])
  })

  test('a folder that the scan was given and that is gone', async () => {
    const { out, transcripts } = await settled()
    renameSync(transcripts.dir, `${transcripts.dir}.away`)
    const { passed, problems } = await check(out)
    expect([passed, problems]).toEqual([
      false,
      [expect.stringContaining('cannot be read any more'), expect.stringContaining(transcripts.dir)],
    ])
  })

  test('one that was packed since says where it is', async () => {
    const { out, transcripts } = await settled()
    const file = transcripts.file(session(1))
    renameSync(file, `${file}.zst`)
    expect((await check(out)).problems[0]).toContain(`${file}.zst is there`)
  })

  test('a transcript that the scan passed over is a problem, one that came later a note', async () => {
    const { out, transcripts } = await settled()
    transcripts.typed(session(2), 'later', at(20))
    const noted = await check(out)
    expect([noted.passed, noted.notes]).toEqual([true, [expect.stringContaining('is newer than the scan')]])
    const manifest = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'))
    const scannedAt = new Date(Date.now() + 60_000).toISOString()
    writeFileSync(join(out, 'manifest.json'), JSON.stringify({ ...manifest, scannedAt }))
    expect((await check(out)).problems).toEqual([expect.stringContaining('is not accounted for')])
  })
})

describe('words', () => {
  test.each<[string, string, (row: Json) => Json]>([
    ['other words', 'do not have the hash', () => ({ words: 'mend the hedge' })],
    [
      'other words with their hash',
      'do not stand there',
      () => ({ words: 'mend the hedge', sha256: hash('sha256', 'mend the hedge') }),
    ],
    ['another line', 'is line 1', row => ({ source: { ...(row.source as Json), line: 2 } })],
    [
      'another offset',
      'no line begins at byte 7',
      row => ({ source: { ...(row.source as Json), offset: 7 } }),
    ],
    [
      'another file',
      'is no source of this scan',
      row => ({ source: { ...(row.source as Json), file: '/x' } }),
    ],
    ['another label', 'labelled person', () => ({ label: 'launcher' })],
    ['another id', 'is no message of the person', () => ({ id: 'other' })],
  ])('a row with %s is found', async (_, what, change) => {
    const { out } = await settled()
    const path = join(out, 'messages.ndjson')
    const [first, ...rest] = linesOf(path).map(line => JSON.parse(line) as Json) as [Json, ...Json[]]
    const rows = [{ ...first, ...change(first) }, ...rest]
    writeFileSync(path, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
    const { passed, problems } = await check(out)
    expect(passed).toBe(false)
    expect(problems.join('\n')).toContain(what)
  })

  test('a row that was taken out is found: the second extraction has it, and the counts do not add up', async () => {
    const { out } = await settled()
    writeFileSync(join(out, 'messages.ndjson'), `${linesOf(join(out, 'messages.ndjson'))[0]}\n`)
    const { problems } = await check(out)
    expect(problems).toContainEqual(expect.stringContaining('finds 1 more than the result holds'))
    expect(problems).toContainEqual('manifest: messages labelled peer: 1 said, 0 found')
  })

  test('a file that cannot be read refuses the result, and says which line', async () => {
    const { out } = await settled()
    appendFileSync(join(out, 'unresolved.ndjson'), '{\n')
    const { passed, problems } = await check(out)
    expect([passed, problems]).toEqual([false, [expect.stringMatching(/unresolved\.ndjson, line 1/)]])
  })
})

describe('rows that were edited by hand where no count shows it', () => {
  async function decided() {
    const { out, transcripts } = place()
    transcripts.typed(session(1), 'mend the fence', at(0))
    transcripts.background(session(1), 'at night', at(1))
    await scanInto(out, transcripts.dir)
    await settleAll(out)
    expect((await check(out)).passed).toBe(true)
    return out
  }

  test.each<[string, string, (row: Json) => Json]>([
    ['directions', 'time', row => ({ ...row, at: at(9) })],
    ['directions', 'session', row => ({ ...row, session: session(9) })],
    [
      'directions',
      'evidence',
      row => ({ ...row, outcome: { ...(row.outcome as Json), evidence: 'another' } }),
    ],
    ['directions', 'by', row => ({ ...row, outcome: { ...(row.outcome as Json), by: 'Ada' } })],
    ['messages', 'time', row => ({ ...row, at: at(9) })],
    ['messages', 'folder', row => ({ ...row, cwd: '/elsewhere' })],
    ['unresolved', 'kind', row => ({ ...row, kind: 'another' })],
    ['unresolved', 'fields', row => ({ ...row, evidence: { ...(row.evidence as Json), fields: {} } })],
    ['decisions', 'id', row => ({ ...row, id: 'another' })],
    ['decisions', 'time', row => ({ ...row, decidedAt: at(9) })],
    ['decisions', 'reason', row => ({ ...row, reason: 'another', evidence: 'another' })],
  ])('%s: another %s', async (name, _, edit) => {
    const out = await decided()
    const path = join(out, `${name}.ndjson`)
    const rows = linesOf(path).map(line => edit(JSON.parse(line)))
    writeFileSync(path, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
    const { passed, problems } = await check(out)
    expect([passed, problems.length > 0]).toEqual([false, true])
  })
})

test('case 15: one line of 60 MB before the words, U+2028, a torn line and one without an end: everything is found again', async () => {
  const { out, transcripts } = place()
  const id = session(1)
  transcripts.typed(id, 'before\u2028it', at(0))
  transcripts.raw(id, `{"type":"attachment","data":"${'x'.repeat(60 << 20)}"}\n`)
  transcripts.raw(id, '{"type":"user","mess\n')
  transcripts.typed(id, `after it ${'y'.repeat(5 << 20)}`, at(1))
  transcripts.raw(id, '{"type":"user"')
  await scanInto(out, transcripts.dir)
  await settleAll(out)
  expect(await check(out)).toEqual({ passed: true, problems: [], notes: [] })
  expect(readManifest(out).counts).toMatchObject({ malformed: 1, directions: 2 })
})

test('case 19: a packed transcript is read and checked like another', async () => {
  const { dir, out, transcripts } = place()
  const corpus = join(import.meta.dirname, '../../corpus/cx-64-compressed.jsonl.zst')
  write(transcripts.dir, 'sessions/x.jsonl', '')
  writeFileSync(join(transcripts.dir, 'sessions', 'rollout.jsonl.zst'), readFileSync(corpus))
  await scanInto(out, transcripts.dir, { options: { claude: [], codex: [join(dir, 'claude')] } })
  await settleAll(out)
  expect(rowsOf(out).messages.length).toBeGreaterThan(0)
  expect(await check(out)).toEqual({ passed: true, problems: [], notes: [] })
  // The words are looked for in what is unpacked.
  const path = join(out, 'messages.ndjson')
  writeFileSync(path, readFileSync(path, 'utf8').replace(/"line":(\d+)/, '"line":1$1'))
  expect((await check(out)).problems.join('\n')).toMatch(/is line \d/)
})

test('a scan of a period: what lies outside is noted, and the rest is checked', async () => {
  const { out, transcripts } = place()
  transcripts.typed(session(1), 'early', at(0))
  transcripts.typed(session(1), 'late', at(100))
  await scanInto(out, transcripts.dir, { options: { since: at(50) } })
  await settleAll(out)
  const { passed, notes } = await check(out)
  expect([passed, notes]).toEqual([true, [expect.stringContaining('1 places lie outside the period')]])
})

test('rule.readOnly: neither the scan nor the check changes a transcript', async () => {
  const { out, transcripts } = await settled()
  const file = transcripts.file(session(1))
  utimesSync(file, new Date(0), new Date(0))
  const before = readFileSync(file)
  await scanInto(out, transcripts.dir)
  await check(out)
  expect(readFileSync(file).equals(before)).toBe(true)
})
