import { hash } from 'node:crypto'
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { checkResult } from '../../../src/scan/check/check-result.ts'
import { resolveMessages, traceDirections } from '../../../src/scan/result/decide.ts'
import { readManifest } from '../../../src/scan/result/read-result.ts'
import { at } from '../../support/record-builder.ts'
import { session, transcriptBuilder } from '../../support/sample-transcripts.ts'
import { linesOf, rowsOf, scanInto } from '../../support/scanned-result.ts'
import { tempFolder } from '../../support/temp-folder.ts'

type Json = Record<string, unknown>

const nobody = { by: null, now: new Date() }
const check = (out: string, progress?: (sources: number) => void) =>
  checkResult(out, new Date(), progress ? { progress } : {})
const place = () => {
  const dir = tempFolder()
  return { dir, out: join(dir, 'out'), transcripts: transcriptBuilder(join(dir, 'claude')) }
}

/** A result that passes: two messages of the person, one of them copied to a second file, a peer's, one resolved. */
async function passing() {
  const here = place()
  const { out, transcripts } = here
  transcripts.typed(session(1), 'mend the fence', at(0))
  transcripts.answer(session(1), 'mended', at(1))
  transcripts.peer(session(1), 'the gate is done', at(2))
  for (let number = 3; number < 9; number++) transcripts.typed(session(1), `paint side ${number}`, at(number))
  transcripts.background(session(2), 'at night', at(10))
  transcripts.raw(session(3), readFileSync(transcripts.file(session(1))))
  await scanInto(out, transcripts.dir)
  const { unresolved, directions } = rowsOf(out)
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id)
  await resolveMessages(out, ids(unresolved), { label: 'launcher', reason: 'x', ...nobody })
  await traceDirections(out, ids(directions), { outcome: 'open', evidence: 'looked', ...nobody })
  return here
}

function edit(out: string, name: string, change: (rows: Json[]) => Json[]): void {
  const path = join(out, `${name}.ndjson`)
  const rows = change(linesOf(path).map(line => JSON.parse(line)))
  writeFileSync(path, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
}

const first = (more: (row: Json) => Json) => (rows: Json[]) =>
  rows.map((row, index) => (index === 0 ? { ...row, ...more(row) } : row))
const twice = (rows: Json[]) => [rows[0] as Json, ...rows]
const without = (rows: Json[]) => rows.slice(1)
const outcomeWith = (more: Json) =>
  first(({ outcome }) => ({ outcome: outcome && { ...(outcome as Json), ...more } }))
const decisionWith = (more: Json) =>
  first(({ evidence }) => {
    const { decision } = evidence as { decision: Json }
    return { evidence: { ...(evidence as Json), decision: { ...decision, ...more } } }
  })
const resolved = (rows: Json[]) => rows.filter(({ label }) => label === 'launcher')
/** Changes the resolved message alone. */
const onResolved = (change: (rows: Json[]) => Json[]) => (rows: Json[]) => [
  ...rows.filter(({ label }) => label !== 'launcher'),
  ...change(resolved(rows)),
]

/** A file in the form of Zstandard with one block that is stored as it is, and after which another one should follow. */
function tornArchive(content: Buffer): Buffer {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0])
  header.writeUInt32LE(content.length + 1, 5)
  const block = Buffer.alloc(3)
  block.writeUIntLE(content.length << 3, 0, 3)
  return Buffer.concat([header, block, content])
}

test('the result that the others change passes, with the bytes of one message in two files', async () => {
  const { out } = await passing()
  expect(await check(out)).toEqual({ passed: true, problems: [], notes: [] })
  expect(rowsOf(out).messages[0]?.alsoAt).toHaveLength(1)
})

describe('rule.completeOrLabelled: what rows say that others do not', () => {
  test.each<[string, string, RegExp, (rows: Json[]) => Json[]]>([
    ['messages', 'one stands twice', /stands twice in messages/, twice],
    ['messages', 'a place less', /places: \d+ said, \d+ found/, first(() => ({ alsoAt: [] }))],
    ['messages', 'a place less', /finds 1 more than the result holds/, first(() => ({ alsoAt: [] }))],
    [
      'messages',
      'a place in another file',
      /\/x is no source of this scan/,
      first(({ alsoAt }) => ({ alsoAt: (alsoAt as Json[]).map(one => ({ ...one, file: '/x' })) })),
    ],
    [
      'messages',
      'another decided label',
      /was decided as launcher and stands as notice/,
      onResolved(rows => rows.map(row => ({ ...row, label: 'notice' }))),
    ],
    [
      'messages',
      'another time of the decision',
      /by a decision that decisions\.ndjson does not hold so/,
      onResolved(decisionWith({ decidedAt: at(50) })),
    ],
    [
      'messages',
      'another reason of the decision',
      /by a decision that decisions\.ndjson does not hold so/,
      onResolved(decisionWith({ reason: 'another' })),
    ],
    [
      'messages',
      'somebody else decided',
      /by a decision that decisions\.ndjson does not hold so/,
      onResolved(decisionWith({ by: 'Ada' })),
    ],
    ['directions', 'one stands twice', /is no message of the person/, twice],
    ['directions', 'one is missing', /is the person's and no direction/, without],
    ['directions', 'one is missing', /manifest: directions: 7 said, 6 found/, without],
    ['directions', 'other words', /has other words/, first(() => ({ words: 'x' }))],
    ['directions', 'another program', /has other words/, first(() => ({ product: 'codex' }))],
    ['directions', 'another folder', /has other words/, first(() => ({ cwd: null }))],
    ['directions', 'no outcome', /was traced as open and does not say so/, first(() => ({ outcome: null }))],
    ['directions', 'another outcome', /was traced as open and does not/, outcomeWith({ name: 'done' })],
    ['directions', 'another time of the verdict', /has a verdict that/, outcomeWith({ decidedAt: at(50) })],
    ['unresolved', 'one is missing', /is unresolved and does not stand in unresolved/, without],
    ['unresolved', 'one stands twice', /is resolved in messages/, twice],
    [
      'unresolved',
      'another decided label',
      /is launcher in messages.ndjson and not in unresolved/,
      first(({ decision }) => ({ decision: { ...(decision as Json), label: 'peer' } })),
    ],
    ['unresolved', 'other words', /is not what it is in messages/, first(() => ({ words: 'x' }))],
    [
      'unresolved',
      'another hash',
      /is not what it is in messages/,
      first(() => ({ sha256: 'a'.repeat(64) })),
    ],
    [
      'unresolved',
      'another place',
      /is not what it is in messages/,
      first(({ source }) => ({ source: { ...(source as Json), line: 9 } })),
    ],
    [
      'unresolved',
      'one more place',
      /is not what it is in messages/,
      first(({ source }) => ({ alsoAt: [source] })),
    ],
    ['decisions', 'a verdict less', /has a verdict that decisions/, rows => rows.slice(0, -1)],
    ['decisions', 'the resolution less', /by a decision that decisions/, without],
  ])('%s: %s (%s)', async (name, _, what, change) => {
    const { out } = await passing()
    edit(out, name, change)
    const { passed, problems } = await check(out)
    expect(problems.join('\n')).toMatch(what)
    expect(passed).toBe(false)
  })

  test.each(['sources', 'bytes', 'lines', 'malformed', 'places', 'directions', 'exclusions'])(
    'the manifest: another number of %s, also where all others hold',
    async name => {
      const { out } = await passing()
      const manifest = readManifest(out) as unknown as { counts: Record<string, number> }
      manifest.counts[name] = (manifest.counts[name] as number) + 1
      writeFileSync(join(out, 'manifest.json'), JSON.stringify(manifest))
      expect((await check(out)).problems).toEqual([expect.stringMatching(`^manifest: ${name}: `)])
    },
  )

  test.each(['lines', 'malformed', 'unfinishedBytes', 'toolResults'])(
    'a source with another number of %s',
    async name => {
      const { out } = await passing()
      const manifest = readManifest(out)
      const counts = manifest.sources[0]?.counts as unknown as Record<string, number>
      counts[name] = (counts[name] as number) + 1
      writeFileSync(join(out, 'manifest.json'), JSON.stringify(manifest))
      expect((await check(out)).problems.join('\n')).toContain(`${manifest.sources[0]?.file}: ${name}: `)
    },
  )

  test('a source with another number of places of a label', async () => {
    const { out } = await passing()
    const manifest = readManifest(out)
    const source = manifest.sources.at(-1)
    if (source) source.counts.places.notice += 1
    writeFileSync(join(out, 'manifest.json'), JSON.stringify(manifest))
    expect((await check(out)).problems).toEqual([`${source?.file}: places labelled notice: 1 said, 0 found`])
  })

  test('of two messages in one line each is looked for', async () => {
    for (const own of ['first', 'last']) {
      const { out } = await passing()
      edit(out, 'messages', rows => {
        const [one, other] = rows as [Json, Json]
        const wrong = {
          ...one,
          words: 'no such words',
          sha256: hash('sha256', 'no such words'),
        }
        const there = { ...other, source: one.source }
        return own === 'first' ? [wrong, there, ...rows.slice(2)] : [there, wrong, ...rows.slice(2)]
      })
      const { id } = rowsOf(out).messages[own === 'first' ? 0 : 1] as { id: string }
      expect((await check(out)).problems.join('\n')).toContain(`the words of ${id} do not stand there`)
    }
  })
})

describe('the check itself', () => {
  test('a result that somebody changes meanwhile is not complete, whatever was found', async () => {
    const { out } = await passing()
    const touch = () => utimesSync(join(out, 'directions.ndjson'), new Date(), new Date())
    const { passed, problems } = await check(out, touch)
    expect([passed, problems]).toEqual([
      false,
      ['the result was changed while it was checked: check it again'],
    ])
    expect(readManifest(out).status).toBe('incomplete')
  })

  test('tells before each source how many were looked at, and leaves neither a file open nor a folder', async () => {
    const { dir, out } = await passing()
    vi.stubEnv('TMPDIR', dir)
    const told: number[] = []
    const open = readdirSync('/dev/fd').length
    await check(out, sources => told.push(sources))
    vi.unstubAllEnvs()
    expect(told).toEqual([0, 1, 2])
    expect(readdirSync('/dev/fd')).toHaveLength(open)
    expect(readdirSync(dir).filter(name => name.startsWith('coord-check'))).toEqual([])
  })

  test('an error that is no fault of the result is none of its problems', async () => {
    const { out } = await passing()
    const failing = () => {
      throw new Error('a mistake of the program')
    }
    await expect(check(out, failing)).rejects.toThrow('a mistake of the program')
  })

  test('notes a scan of nothing, and what could not be read; not what was passed over by choice', async () => {
    const { dir, out, transcripts } = place()
    await scanInto(out, transcripts.dir)
    expect(await check(out)).toMatchObject({ passed: true, notes: ['the scan read no source'] })
    transcripts.typed(session(1), 'mend it', at(0))
    transcripts.raw(session(1), '{"torn\n')
    const projects = join(transcripts.dir, 'projects')
    writeFileSync(join(projects, 'notes.md'), '')
    const corpus = readFileSync(join(import.meta.dirname, '../../corpus/cx-64-compressed.jsonl.zst'))
    writeFileSync(join(projects, 'cut.jsonl.zst'), corpus.subarray(0, -40))
    await scanInto(join(dir, 'second'), transcripts.dir)
    const second = join(dir, 'second')
    const ids = rowsOf(second).directions.map(({ id }) => id)
    await traceDirections(second, ids, { outcome: 'open', evidence: 'x', ...nobody })
    const { problems, notes } = await check(second)
    expect(problems).toEqual([])
    expect(notes).toEqual([expect.stringMatching(/cut\.jsonl\.zst is excluded: damaged/)])
  })

  test('damage that the exclusions do not tell is a problem, what they tell is none', async () => {
    const { out, transcripts } = place()
    transcripts.typed(session(1), 'mend it', at(0))
    const content = readFileSync(transcripts.file(session(1)))
    rmSync(transcripts.file(session(1)))
    writeFileSync(join(transcripts.dir, 'projects', 'torn.jsonl.zst'), tornArchive(content))
    await scanInto(out, transcripts.dir)
    const ids = rowsOf(out).directions.map(({ id }) => id)
    await traceDirections(out, ids, { outcome: 'open', evidence: 'x', ...nobody })
    expect((await check(out)).problems).toEqual([])
    edit(out, 'exclusions', rows => rows.map(row => ({ ...row, reason: 'by choice' })))
    expect((await check(out)).problems).toEqual([expect.stringContaining('the compressed data is damaged')])
  })

  test('what lies beside the transcripts and came later is new by when it came, not by its own date', async () => {
    const { out, transcripts } = await passing()
    const folder = join(transcripts.dir, 'projects', 'new')
    mkdirSync(folder)
    writeFileSync(join(folder, 'notes.md'), '')
    utimesSync(join(folder, 'notes.md'), new Date(0), new Date(0))
    const { passed, notes } = await check(out)
    expect([passed, notes]).toEqual([true, [expect.stringContaining('notes.md is newer than the scan')]])
  })

  test('a period in which all lies is no excuse for a message that is missing', async () => {
    const { out, transcripts } = place()
    transcripts.typed(session(1), 'early', at(0))
    transcripts.typed(session(2), 'a', at(100))
    transcripts.typed(session(2), 'b', at(101))
    await scanInto(out, transcripts.dir, { options: { since: at(50) } })
    edit(out, 'messages', without)
    const { problems } = await check(out)
    expect(problems.join('\n')).toContain(`${session(2)}.jsonl line 1: a second extraction finds 1 more`)
  })

  test('of many lines outside a period each is counted', async () => {
    const { out, transcripts } = place()
    for (let number = 0; number < 3; number++) transcripts.typed(session(1), `early ${number}`, at(number))
    transcripts.typed(session(1), 'late', at(100))
    await scanInto(out, transcripts.dir, { options: { since: at(50) } })
    expect((await check(out)).notes).toEqual([expect.stringContaining('3 places lie outside the period')])
  })

  test('a last line that is whole since the scan is none that the result lacks', async () => {
    const { out, transcripts } = await passing()
    transcripts.raw(session(2), '{"type":"user"')
    await scanInto(out, transcripts.dir)
    appendFileSync(transcripts.file(session(2)), '}\n')
    expect(await check(out)).toMatchObject({ passed: true, problems: [] })
  })
})

describe('a list of typed prompts', () => {
  async function listed() {
    const here = place()
    here.transcripts.typed(session(1), 'see this', at(0))
    const row = (display: string) => ({
      display,
      pastedContents: {},
      timestamp: Date.parse(at(1)),
      project: '/p',
      sessionId: session(9),
    })
    const rows = ['!ls -l', 'see [Pasted text #1 +3 lines] and say']
    writeFileSync(
      join(here.transcripts.dir, 'history.jsonl'),
      rows.map(one => `${JSON.stringify(row(one))}\n`).join(''),
    )
    await scanInto(here.out, here.transcripts.dir)
    const ids = rowsOf(here.out).directions.map(({ id }) => id)
    await traceDirections(here.out, ids, { outcome: 'open', evidence: 'x', ...nobody })
    return here
  }

  test('is checked by what it lists', async () => {
    const { out } = await listed()
    expect(rowsOf(out).messages).toHaveLength(3)
    expect(await check(out)).toEqual({ passed: true, problems: [], notes: [] })
  })

  test('is left as it is, also where the check fails', async () => {
    const { out, transcripts } = await listed()
    const history = join(transcripts.dir, 'history.jsonl')
    const before = readFileSync(history)
    rmSync(transcripts.file(session(1)))
    expect((await check(out)).passed).toBe(false)
    expect(readFileSync(history).equals(before)).toBe(true)
  })
})
