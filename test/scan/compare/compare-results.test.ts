import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Comparison, compareResults } from '../../../src/scan/compare/compare-results.ts'
import { resolveMessages } from '../../../src/scan/result/decide.ts'
import { readManifest } from '../../../src/scan/result/read-result.ts'
import { at } from '../../support/record-builder.ts'
import { session, transcriptBuilder } from '../../support/sample-transcripts.ts'
import { linesOf, rowsOf, scanInto } from '../../support/scanned-result.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const now = new Date('2026-11-20T08:00:00.000Z')
const compare = (older: string, newer: string, acceptedLoss: string | null = null): Promise<Comparison> =>
  compareResults(older, newer, { acceptedLoss, now })

type Json = Record<string, unknown>

/** Two results of one sample, as two versions made them; the second one's rows may be changed. */
async function twoResults(change: (file: string, rows: Json[]) => Json[] = (_, rows) => rows) {
  const dir = tempFolder()
  const transcripts = transcriptBuilder(join(dir, 'claude'))
  transcripts.typed(session(1), 'mend the fence', at(0))
  transcripts.answer(session(1), 'mended', at(1))
  transcripts.peer(session(1), 'the gate is done', at(2))
  transcripts.background(session(2), 'at night', at(3))
  const [older, newer] = [join(dir, 'old'), join(dir, 'new')]
  await scanInto(older, transcripts.dir, { revision: 'aaaa' })
  await scanInto(newer, transcripts.dir, { revision: 'bbbb' })
  for (const file of ['messages', 'directions', 'unresolved']) {
    const path = join(newer, `${file}.ndjson`)
    const rows = change(
      file,
      linesOf(path).map(line => JSON.parse(line)),
    )
    writeFileSync(path, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  }
  return { dir, transcripts, older, newer }
}

/** Changes the first row of messages.ndjson, the person's. */
const firstMessage = (more: Json) => (file: string, rows: Json[]) =>
  file === 'messages' ? rows.map((row, index) => (index === 0 ? { ...row, ...more } : row)) : rows

describe('rule.measuredDeployment: a new version is measured on a frozen sample', () => {
  test('no difference: both revisions and the sample’s hash are named, and recorded in the new result', async () => {
    const { older, newer } = await twoResults()
    const { record, losses, gains, changes, passed } = await compare(older, newer)
    expect([passed, losses, gains, changes]).toEqual([true, [], [], []])
    expect(record).toEqual({
      at: now.toISOString(),
      old: { path: older, revision: 'aaaa' },
      new: { path: newer, revision: 'bbbb' },
      sampleSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      losses: 0,
      gains: 0,
      acceptedLoss: null,
    })
    expect(readManifest(newer).comparisons).toEqual([record])
    expect(readManifest(older).comparisons).toEqual([])
  })

  test('a loss is refused until somebody accepts it with a reason, which is recorded', async () => {
    const { older, newer } = await twoResults(firstMessage({ label: 'launcher' }))
    expect((await compare(older, newer)).passed).toBe(false)
    const accepted = await compare(older, newer, 'the old one was wrong')
    expect([accepted.passed, accepted.losses.length > 0]).toEqual([true, true])
    expect(readManifest(newer).comparisons.map(one => one.acceptedLoss)).toEqual([
      null,
      'the old one was wrong',
    ])
  })

  test('other sources are another sample, and are named', async () => {
    const { dir, transcripts, older } = await twoResults()
    transcripts.typed(session(9), 'new', at(9))
    await scanInto(join(dir, 'later'), transcripts.dir)
    await expect(compare(older, join(dir, 'later'))).rejects.toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(new RegExp(`only the new one read .*${session(9)}`)),
    })
  })

  test('the same sample in another folder is the same', async () => {
    const { dir, older } = await twoResults()
    const copy = transcriptBuilder(join(dir, 'copy'))
    for (const number of [1, 2]) {
      const file = join(dir, 'claude', 'projects', '-home-dev-shop', `${session(number)}.jsonl`)
      copy.raw(session(number), readFileSync(file))
    }
    await scanInto(join(dir, 'of-copy'), copy.dir)
    expect(await compare(older, join(dir, 'of-copy'))).toMatchObject({ losses: [], gains: [], changes: [] })
  })

  test('what people decided is left out: the tool is measured', async () => {
    const { older, newer } = await twoResults()
    const { id } = rowsOf(older).unresolved[0] as { id: string }
    await resolveMessages(older, [id], { label: 'person', reason: 'x', by: null, now })
    expect(await compare(older, newer)).toMatchObject({ losses: [], gains: [], changes: [] })
  })
})

describe('what is a loss, a gain, a change', () => {
  const drop = (label: string) => (_: string, rows: Json[]) => rows.filter(row => row.label !== label)

  test.each<[string, string, RegExp, (file: string, rows: Json[]) => Json[]]>([
    ['losses', 'a message is missing', /message \(peer\) is missing/, drop('peer')],
    [
      'losses',
      'a person’s message is another’s',
      /person .* became launcher/,
      firstMessage({ label: 'launcher' }),
    ],
    ['losses', 'a sure label is unresolved', /became unresolved/, firstMessage({ label: 'unresolved' })],
    ['losses', 'words changed', /words changed/, firstMessage({ words: 'x', sha256: 'a'.repeat(64) })],
    [
      'losses',
      'a message of somebody else is the person’s',
      /peer .* became person/,
      (file, rows) =>
        file === 'messages'
          ? rows.map(row => (row.label === 'peer' ? { ...row, label: 'person' } : row))
          : rows,
    ],
    [
      'losses',
      'what followed is missing',
      /the turn's end done became unknown/,
      (file, rows) => (file === 'directions' ? rows.map(row => ({ ...row, end: 'unknown' })) : rows),
    ],
    [
      'gains',
      'what followed is known',
      /the commit 4f0c2d1 is new/,
      (file, rows) => (file === 'directions' ? rows.map(row => ({ ...row, commits: ['4f0c2d1'] })) : rows),
    ],
    [
      'gains',
      'an unresolved message is attributed',
      /unresolved .* became launcher/,
      (file, rows) =>
        file === 'messages'
          ? rows.map(row => (row.label === 'unresolved' ? { ...row, label: 'launcher' } : row))
          : rows,
    ],
    [
      'changes',
      'another confidence',
      /confidence high became medium/,
      firstMessage({ confidence: 'medium' }),
    ],
    ['changes', 'another kind', /kind typed became queued/, firstMessage({ kind: 'queued' })],
    [
      'changes',
      'another id',
      /its id became other/,
      (file, rows) =>
        file === 'unresolved'
          ? rows
          : rows.map((row, index) => (index === 0 ? { ...row, id: 'other' } : row)),
    ],
  ])('%s: %s', async (sort, _, what, change) => {
    const { older, newer } = await twoResults(change)
    const found = await compare(older, newer)
    expect(found[sort as 'losses'].map(one => one.what).join('\n')).toMatch(what)
    if (sort === 'changes') expect([found.losses, found.gains]).toEqual([[], []])
    if (sort === 'gains') expect(found.losses).toEqual([])
  })

  test('a message that only the new one holds is a gain', async () => {
    const { older, newer } = await twoResults(drop('peer'))
    const { gains, losses } = await compare(newer, older)
    expect([gains.map(({ what }) => what), losses]).toEqual([
      ['a message (peer) that the old result lacks'],
      [],
    ])
  })
})
