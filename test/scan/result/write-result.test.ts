import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkResult } from '../../../src/scan/check/check-result.ts'
import { resolveMessages, traceDirections } from '../../../src/scan/result/decide.ts'
import { writePrompt } from '../../../src/scan/result/prompt.ts'
import { filesIn } from '../../support/files.ts'
import { at } from '../../support/record-builder.ts'
import { session, transcriptBuilder } from '../../support/sample-transcripts.ts'
import { rowsOf, scanInto } from '../../support/scanned-result.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const FILES = [
  'directions.ndjson',
  'exclusions.ndjson',
  'manifest.json',
  'messages.ndjson',
  'report.md',
  'unresolved.ndjson',
]
const nobody = { by: null, now: new Date() }

function here() {
  const dir = tempFolder()
  return {
    dir,
    out: join(dir, 'results', 'of november'),
    transcripts: transcriptBuilder(join(dir, 'claude')),
  }
}

describe('rule.callerPlacesResult: a result lies in the folder that its caller names', () => {
  test('as plain files and nothing else, private to the user', async () => {
    const { out, transcripts } = here()
    transcripts.typed(session(1), 'mend the fence', at(0))
    await scanInto(out, transcripts.dir)
    expect(readdirSync(out).sort()).toEqual(FILES)
    for (const name of FILES) expect(statSync(join(out, name)).mode & 0o077, name).toBe(0)
  })

  test('a folder that holds something else is refused, and nothing of it is touched', async () => {
    const { out, transcripts } = here()
    mkdirSync(out, { recursive: true })
    writeFileSync(join(out, 'notes.txt'), 'mine')
    await expect(scanInto(out, transcripts.dir)).rejects.toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('notes.txt'),
      hint: expect.stringMatching(/\S/),
    })
    expect(filesIn(out)).toEqual({ 'notes.txt': 'mine' })
  })

  test('a file in the place of the folder is refused', async () => {
    const { dir, transcripts } = here()
    writeFileSync(join(dir, 'file'), '')
    await expect(scanInto(join(dir, 'file'), transcripts.dir)).rejects.toMatchObject({
      message: expect.stringContaining('is a file'),
    })
  })

  test('so is what is neither a file nor a folder, and what lies below such a thing', async () => {
    const { dir, transcripts } = here()
    symlinkSync(join(dir, 'nowhere', 'at all'), join(dir, 'link'))
    writeFileSync(join(dir, 'file'), '')
    for (const out of [join(dir, 'link'), '/dev/null', join(dir, 'file', 'below'), '/proc/none'])
      await expect(scanInto(out, transcripts.dir), out).rejects.toMatchObject({
        ...{ kind: 'failed', path: out, message: expect.stringContaining(out) },
        hint: expect.stringContaining('name a new folder'),
      })
  })

  test('what a killed first scan left is taken over, and nothing of it stays', async () => {
    const { out, transcripts } = here()
    transcripts.typed(session(1), 'mend the fence', at(0))
    await scanInto(out, transcripts.dir)
    for (const name of FILES) if (name !== 'manifest.json') rmSync(join(out, name))
    mkdirSync(join(out, '.scan-0123456789abcdef'))
    writeFileSync(join(out, '.scan-0123456789abcdef', 'messages.ndjson'), '{')
    writeFileSync(join(out, 'messages.ndjson'), '{"torn')
    await scanInto(out, transcripts.dir)
    expect(rowsOf(out).messages).toHaveLength(1)
    expect(readdirSync(out).sort()).toEqual(FILES)
  })

  test.each([
    ['manifest.json', '{"name":"a web page"}', 'no result of a scan'],
    ['manifest.json', '{', 'no result of a scan'],
    ['manifest.json', '{"format":2,"tool":{"name":"coord"}}', 'another version'],
    ['report.md', 'mine', 'holds report.md'],
  ])('a folder that only looks like a result, by %s %s, is refused', async (name, content, what) => {
    const { out, transcripts } = here()
    mkdirSync(out, { recursive: true })
    writeFileSync(join(out, name), content)
    await expect(scanInto(out, transcripts.dir)).rejects.toMatchObject({
      kind: 'failed',
      message: expect.stringContaining(what),
    })
    expect(filesIn(out)).toEqual({ [name]: content })
  })
})

test('rule.completeOrLabelled: a new result is incomplete, and what was passed over stands among the exclusions', async () => {
  const { out, transcripts } = here()
  transcripts.typed(session(1), 'mend the fence', at(0))
  transcripts.raw(session(1), '{"torn\n')
  writeFileSync(join(transcripts.dir, 'projects', 'notes.md'), '')
  const { manifest } = await scanInto(out, transcripts.dir)
  expect(manifest).toMatchObject({
    status: 'incomplete',
    check: null,
    counts: { malformed: 1, exclusions: 2 },
  })
  const exclusions = readFileSync(join(out, 'exclusions.ndjson'), 'utf8')
  expect(exclusions).toContain('notes.md')
  expect(exclusions).toContain('"line":2')
})

test('rule.everyDirectionTraced: each message of the person is a direction with what followed and the next one', async () => {
  const { out, transcripts } = here()
  transcripts.typed(session(1), 'mend the fence', at(0))
  transcripts.answer(session(1), 'mended', at(1))
  transcripts.typed(session(2), 'elsewhere', at(2))
  transcripts.typed(session(1), 'now paint it', at(3))
  transcripts.sdk(session(3), 'by a program', at(4))
  await scanInto(out, transcripts.dir)
  const { directions, messages } = rowsOf(out)
  expect(directions.map(({ words }) => words)).toEqual(['mend the fence', 'elsewhere', 'now paint it'])
  expect(directions[0]).toMatchObject({
    end: 'done',
    lastWords: 'mended',
    next: directions[2]?.id,
    outcome: null,
  })
  expect(directions[1]?.next).toBeNull()
  expect(messages.map(({ label }) => label)).toEqual(['person', 'person', 'person', 'launcher'])
})

test('words with every kind of character come back exactly, and none acts on a terminal that prints the file', async () => {
  const { out, transcripts } = here()
  const words = 'red \u001b[31m \u202e NUL \0 line\u2028sep \ud800 lone, tab\t'
  transcripts.typed(session(1), words, at(0))
  await scanInto(out, transcripts.dir)
  expect(rowsOf(out).messages[0]?.words).toBe(words)
  expect(rowsOf(out).directions[0]?.words).toBe(words)
  for (const name of FILES) {
    const text = readFileSync(join(out, name), 'utf8')
    expect(text, name).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028]/)
  }
})

describe('a scan into an earlier result', () => {
  test('keeps decisions whose messages still exist, and says which have none any more', async () => {
    const { out, transcripts } = here()
    transcripts.typed(session(1), 'mend the fence', at(0))
    transcripts.typed(session(2), 'paint it', at(1))
    transcripts.background(session(3), 'at night', at(2))
    await scanInto(out, transcripts.dir)
    const [first, second] = rowsOf(out).directions as unknown as [{ id: string }, { id: string }]
    const open = rowsOf(out).unresolved[0] as { id: string }
    await traceDirections(out, [first.id], { outcome: 'done', evidence: 'commit 1', ...nobody })
    await traceDirections(out, [second.id], { outcome: 'open', evidence: 'looked', ...nobody })
    await resolveMessages(out, [open.id], { label: 'person', reason: 'my shell history', ...nobody })

    rmSync(transcripts.file(session(2)))
    transcripts.typed(session(1), 'and the gate', at(5))
    const { decisions, manifest } = await scanInto(out, transcripts.dir)
    expect(decisions).toEqual({ kept: 3, orphaned: [second.id], unneeded: [] })
    expect(manifest.orphanedDecisions).toEqual([second.id])
    const { directions, messages } = rowsOf(out)
    expect(directions.map(({ words, outcome }) => [words, outcome?.name])).toEqual([
      ['mend the fence', 'done'],
      ['at night', undefined],
      ['and the gate', undefined],
    ])
    expect(messages.map(({ label }) => label)).toEqual(['person', 'person', 'person'])
    expect(readFileSync(join(out, 'decisions.ndjson'), 'utf8').split('\n')).toHaveLength(4)
    expect(readFileSync(join(out, 'report.md'), 'utf8')).toContain(second.id)
  })

  test('gives the same rows as the decisions gave one by one', async () => {
    const { out, transcripts } = here()
    for (let number = 0; number < 6; number++)
      transcripts.background(session(number % 2), `prompt ${number}`, at(number))
    transcripts.typed(session(1), 'typed', at(9))
    await scanInto(out, transcripts.dir)
    const ids = rowsOf(out).unresolved.map(({ id }) => id)
    for (const [index, id] of ids.entries()) {
      const label = index % 3 === 0 ? 'launcher' : 'person'
      await resolveMessages(out, [id], { label, reason: `reason ${index}`, ...nobody })
    }
    for (const { id } of rowsOf(out).directions.slice(1))
      await traceDirections(out, [id], { outcome: 'done', evidence: id, ...nobody })
    await resolveMessages(out, [ids[1] as string], {
      label: 'notice',
      reason: 'on second thought',
      ...nobody,
    })
    const before = rowsOf(out)
    await scanInto(out, transcripts.dir)
    const after = rowsOf(out)
    expect(after.messages).toEqual(before.messages)
    expect(after.directions).toEqual(before.directions)
    expect(after.unresolved).toEqual(before.unresolved)
    expect(after.manifest.counts).toEqual(before.manifest.counts)
  })

  test('names decisions that nothing needs any more, since the scan settles the message itself', async () => {
    const { out, transcripts } = here()
    transcripts.background(session(1), 'at night', at(0))
    await scanInto(out, transcripts.dir)
    const { id } = rowsOf(out).unresolved[0] as { id: string }
    await resolveMessages(out, [id], { label: 'launcher', reason: 'x', ...nobody })
    const file = transcripts.file(session(1))
    writeFileSync(file, readFileSync(file, 'utf8').replace(',"sessionKind":"bg"', ''))
    const { decisions } = await scanInto(out, transcripts.dir)
    expect(decisions).toEqual({ kept: 1, orphaned: [], unneeded: [id] })
    expect(rowsOf(out).messages).toMatchObject([{ id, label: 'person' }])
    expect(rowsOf(out).messages[0]?.evidence.decision).toBeUndefined()
  })

  test('leaves nothing unfinished behind', async () => {
    const { out, transcripts } = here()
    transcripts.typed(session(1), 'mend the fence', at(0))
    await scanInto(out, transcripts.dir)
    await scanInto(out, transcripts.dir)
    expect(readdirSync(out).sort()).toEqual(FILES)
    expect(existsSync(join(out, '.changing'))).toBe(false)
  })
})

describe('whatever has become of a result, the hint of its error is a way out', () => {
  async function traced() {
    const made = here()
    made.transcripts.typed(session(1), 'mend the fence', at(0))
    await scanInto(made.out, made.transcripts.dir)
    const [direction] = rowsOf(made.out).directions
    await traceDirections(made.out, [direction?.id as string], { outcome: 'done', evidence: 'x', ...nobody })
    return made
  }
  const edited = (out: string, edit: (manifest: string) => string) => {
    const path = join(out, 'manifest.json')
    writeFileSync(path, edit(readFileSync(path, 'utf8')))
  }

  test.each<[string, (out: string) => void]>([
    ['a manifest without a field', out => edited(out, text => text.replace('"places"', '"plates"'))],
    ['a manifest that is cut', out => edited(out, text => text.slice(0, 50))],
    ['an empty manifest', out => edited(out, () => '')],
    ['no manifest', out => rmSync(join(out, 'manifest.json'))],
    ['a row without a field', out => writeFileSync(join(out, 'messages.ndjson'), '{}\n')],
    ['no messages', out => rmSync(join(out, 'messages.ndjson'))],
  ])('%s: a scan into the folder mends it and keeps decisions', async (_, damage) => {
    const { out, transcripts } = await traced()
    damage(out)
    await scanInto(out, transcripts.dir)
    expect(rowsOf(out).directions).toMatchObject([{ outcome: { name: 'done' } }])
  })

  test('a result of another version is read by none and left alone', async () => {
    const { out, transcripts } = await traced()
    edited(out, text => text.replace('"format": 1', '"format": 2'))
    const before = filesIn(out)
    for (const use of [() => scanInto(out, transcripts.dir), async () => writePrompt(out)])
      await expect(use()).rejects.toMatchObject({
        message: expect.stringContaining('another version (format 2)'),
        hint: expect.stringMatching(/folder/),
      })
    expect(filesIn(out)).toEqual(before)
  })

  test.each(['manifest.json', 'messages.ndjson', 'decisions.ndjson', 'report.md'])(
    'a folder or a FIFO in the place of %s is told, left alone, and waited for by nobody',
    async name => {
      for (const make of ['mkdir', 'mkfifo']) {
        const { out, transcripts } = await traced()
        rmSync(join(out, name))
        execFileSync(make, [join(out, name)])
        await expect(scanInto(out, transcripts.dir)).rejects.toMatchObject({
          ...{ kind: 'failed', path: join(out, name) },
          hint: expect.stringMatching(/folder/),
        })
        if (name === 'report.md') continue
        const found = await checkResult(out, nobody.now).then(
          ({ problems }) => problems.join(),
          error => error.message,
        )
        expect(found).toContain(`${join(out, name)} cannot be read`)
      }
    },
  )
})
