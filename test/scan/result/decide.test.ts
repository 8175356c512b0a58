import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { resolveMessages, traceDirections } from '../../../src/scan/result/decide.ts'
import { findByPrefix } from '../../../src/scan/result/find-ids.ts'
import { readManifest } from '../../../src/scan/result/read-result.ts'
import { writeManifest } from '../../../src/scan/result/write-result.ts'
import { killedWithLock } from '../../support/lock-holder.ts'
import { at } from '../../support/record-builder.ts'
import { session, transcriptBuilder } from '../../support/sample-transcripts.ts'
import { linesOf, rowsOf, scanInto } from '../../support/scanned-result.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const now = new Date('2026-11-20T08:00:00.000Z')
const by = 'Ada'

async function scanned() {
  const dir = tempFolder()
  const out = join(dir, 'out')
  const transcripts = transcriptBuilder(join(dir, 'claude'))
  transcripts.typed(session(1), 'first', at(0))
  transcripts.background(session(1), 'from a command line', at(1))
  transcripts.answer(session(1), 'ran it', at(2))
  transcripts.typed(session(1), 'last', at(3))
  await scanInto(out, transcripts.dir)
  const open = rowsOf(out).unresolved[0]?.id as string
  return { out, open, transcripts }
}

describe('coord scan resolve', () => {
  test('a message that turns out to be the person’s is a direction, with its trace, in its place', async () => {
    const { out, open } = await scanned()
    await resolveMessages(out, [open], { label: 'person', reason: 'my shell history', by, now })
    const { messages, directions, unresolved, manifest } = rowsOf(out)
    expect(messages[1]).toMatchObject({
      label: 'person',
      evidence: {
        before: { label: 'unresolved' },
        decision: { reason: 'my shell history', by, decidedAt: now.toISOString() },
      },
    })
    expect(directions.map(({ words, lastWords, next }) => [words, lastWords, next])).toEqual([
      ['first', null, open],
      ['from a command line', 'ran it', directions[2]?.id],
      ['last', null, null],
    ])
    expect(unresolved[0]).toMatchObject({ label: 'unresolved', decision: { label: 'person', by } })
    expect(manifest.counts).toMatchObject({ messages: { person: 3, unresolved: 0 }, directions: 3 })
  })

  test('the last decision counts, and every one is kept', async () => {
    const { out, open } = await scanned()
    await resolveMessages(out, [open], { label: 'person', reason: 'one', by, now })
    await resolveMessages(out, [open], { label: 'launcher', reason: 'two', by, now })
    expect(rowsOf(out).messages[1]).toMatchObject({
      label: 'launcher',
      evidence: { before: { label: 'unresolved' }, decision: { reason: 'two' } },
    })
    expect(rowsOf(out).directions).toHaveLength(2)
    await resolveMessages(out, [open], { label: 'person', reason: 'three', by, now })
    expect(rowsOf(out).directions[1]).toMatchObject({ id: open, lastWords: 'ran it' })
    expect(linesOf(join(out, 'decisions.ndjson'))).toHaveLength(3)
  })

  test('what the scan attributed itself is not decided anew', async () => {
    const { out } = await scanned()
    const id = rowsOf(out).directions[0]?.id as string
    await expect(resolveMessages(out, [id], { label: 'peer', reason: 'x', by, now })).rejects.toMatchObject({
      kind: 'not-found',
      message: expect.stringContaining(id),
    })
  })
})

describe('rule.everyDirectionTraced: coord scan trace', () => {
  test('records the verdict with its evidence', async () => {
    const { out } = await scanned()
    const [first, last] = rowsOf(out).directions
    await traceDirections(out, [first?.id as string, last?.id as string], {
      outcome: 'superseded',
      evidence: 'by the second',
      by: null,
      now,
    })
    for (const { outcome } of rowsOf(out).directions)
      expect(outcome).toEqual({
        name: 'superseded',
        evidence: 'by the second',
        by: null,
        decidedAt: now.toISOString(),
      })
  })

  test('sets a complete result back to incomplete', async () => {
    const { out } = await scanned()
    writeManifest(out, { ...readManifest(out), status: 'complete' })
    await traceDirections(out, [rowsOf(out).directions[0]?.id as string], {
      outcome: 'done',
      evidence: 'x',
      by,
      now,
    })
    expect(readManifest(out).status).toBe('incomplete')
    expect(readFileSync(join(out, 'report.md'), 'utf8').split('\n').slice(0, 3).join()).toContain(
      'incomplete',
    )
  })

  test('several at once lose none of the verdicts, nor what is resolved meanwhile', async () => {
    const { out, open } = await scanned()
    const ids = rowsOf(out).directions.map(({ id }) => id)
    await Promise.all([
      ...ids.map(id => traceDirections(out, [id], { outcome: 'done', evidence: id, by, now })),
      resolveMessages(out, [open], { label: 'person', reason: 'x', by, now }),
    ])
    const { directions } = rowsOf(out)
    expect(directions).toHaveLength(3)
    expect(directions.filter(({ outcome }) => outcome !== null).map(({ id }) => id)).toEqual(ids)
  })

  test('the lock of a process that was killed holds nobody up, and its file goes', async () => {
    const { out } = await scanned()
    const lock = join(out, '.changing')
    await killedWithLock(lock)
    expect(existsSync(lock)).toBe(true)
    await traceDirections(out, [rowsOf(out).directions[0]?.id as string], {
      outcome: 'done',
      evidence: 'x',
      by,
      now,
    })
    expect(rowsOf(out).directions[0]?.outcome?.name).toBe('done')
    expect(existsSync(lock)).toBe(false)
  })

  test('a file in the place of the lock that is none is told at once, with the way out', async () => {
    const { out } = await scanned()
    const lock = join(out, '.changing')
    writeFileSync(lock, 'laptop 1\n')
    const id = rowsOf(out).directions[0]?.id as string
    const verdict = { outcome: 'done' as const, evidence: 'x', by, now }
    await expect(traceDirections(out, [id], verdict)).rejects.toMatchObject({
      ...{ kind: 'failed', path: lock },
      hint: expect.stringContaining(`move ${lock} away`),
    })
    expect(readFileSync(lock, 'utf8')).toBe('laptop 1\n')
  })
})

describe('what may have happened to the files', () => {
  test('a decision that a kill tore off does not count, and the next one stands whole', async () => {
    const { out } = await scanned()
    const [first, last] = rowsOf(out).directions.map(({ id }) => id) as [string, string]
    await traceDirections(out, [first], { outcome: 'done', evidence: 'x', by, now })
    appendFileSync(join(out, 'decisions.ndjson'), '{"decision":"trace","id":"')
    await traceDirections(out, [last], { outcome: 'open', evidence: 'y', by, now })
    expect(rowsOf(out).directions.map(({ outcome }) => outcome?.name)).toEqual(['done', 'open'])
  })

  test.each([
    ['messages.ndjson', 'not JSON', 'it is not JSON'],
    ['messages.ndjson', '{"id":"x"}', 'label'],
    ['directions.ndjson', '{"id":"x"}', 'session'],
    ['decisions.ndjson', '{"decision":"forget","id":"x"}', 'decision'],
  ])('%s with a line %s: the error names file and line', async (name, line, what) => {
    const { out, open } = await scanned()
    appendFileSync(join(out, name), `${line}\n`)
    const number = linesOf(join(out, name)).length
    await expect(resolveMessages(out, [open], { label: 'peer', reason: 'x', by, now })).rejects.toMatchObject(
      {
        kind: 'failed',
        message: expect.stringMatching(new RegExp(`${name}, line ${number}, .*${what}`)),
        hint: expect.stringMatching(/\S/),
      },
    )
  })

  test('no row is lost where a file does not fit the others', async () => {
    const { out, open } = await scanned()
    const before = readFileSync(join(out, 'directions.ndjson'), 'utf8')
    writeFileSync(join(out, 'directions.ndjson'), `${before.split('\n').slice(0, -1).reverse().join('\n')}\n`)
    const changed = readFileSync(join(out, 'directions.ndjson'), 'utf8')
    await expect(resolveMessages(out, [open], { label: 'peer', reason: 'x', by, now })).rejects.toThrow(
      /which messages/,
    )
    expect(readFileSync(join(out, 'directions.ndjson'), 'utf8')).toBe(changed)
  })
})

describe('ids', () => {
  const rows = ['abc1', 'abc2', 'ab', 'd'].map(id => ({ row: { id } }))
  const find = (...prefixes: string[]) => findByPrefix(prefixes, rows, 'direction', 'hint')

  test('the beginning of an id is enough where it names one; a whole id always is', () => {
    expect(find('abc1', 'd', 'ab')).toEqual(['abc1', 'd', 'ab'])
    expect(find('abc1', 'abc1')).toEqual(['abc1'])
  })

  test('one that names several lists them, one that names none says so', () => {
    expect(() => find('abc')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('abc1, abc2') }),
    )
    expect(() => find('x')).toThrow(/no direction has the id x/)
    expect(() => find('')).toThrow(/no direction/)
  })
})
