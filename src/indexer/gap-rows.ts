import type { MissingNumbers } from '../chain/load-numbers.ts'
import type { SessionFacts } from '../chain/session-facts.ts'
import type { NewGapRow } from '../database/new-rows.ts'
import { entryNameOf, type LoadNumber, loadNumberOf, parseEntryFileName } from '../record/file-name.ts'

/**
 * What a session's facts show to be missing, one row for each entry that follows something.
 *
 * @param named names of files that are there and no readable entry, or that are known to be gone: they say themselves
 * what became of their numbers
 */
export function gapRows(facts: SessionFacts, named: readonly string[]): NewGapRow[] {
  const found = new Map<string, { count: number | null; reasons: string[] }>()
  for (const { name, count } of facts.notWritten) {
    const entries = count === 1 ? '1 entry' : `${count} entries`
    found.set(name, { count, reasons: [`${entries} could not be written before this one`] })
  }
  const isNamed = facts.loads?.some(({ missing }) => missing.length > 0) ? numbersOf(named) : []
  for (const { load, missing } of facts.loads ?? []) {
    for (const range of missing) {
      const left = without(
        range,
        isNamed.filter(one => one.load === load),
      )
      if (left.length === 0) continue
      const { count = 0, reasons = [] } = found.get(range.before) ?? {}
      const size = left.reduce((sum, { from, to }) => sum + to - from + 1, 0)
      // Lost numbers and what the entry says of them are one thing.
      found.set(range.before, {
        count: Math.max(count ?? 0, size),
        reasons: [...reasons, described(left, size, load)],
      })
    }
  }
  if (facts.loads === null) {
    const reasons = ['more numbers of this session’s files are missing than are listed']
    found.set(facts.newestName, { count: null, reasons })
  }
  return [...found].map(([name, { count, reasons }]) => ({
    session_id: facts.sessionId,
    name,
    name_at: parseEntryFileName(name)?.at ?? facts.lastHeard,
    missing: count,
    reason: reasons.join(': '),
  }))
}

type Range = Pick<MissingNumbers, 'from' | 'to'>

function numbersOf(names: readonly string[]): LoadNumber[] {
  return names.flatMap(name => loadNumberOf(entryNameOf(name)) ?? [])
}

/** The parts of a range that are left between these numbers. */
function without(range: Range, numbers: readonly LoadNumber[]): Range[] {
  let left: Range[] = [range]
  for (const { number } of numbers) {
    left = left.flatMap(({ from, to }) => {
      if (number < from || number > to) return [{ from, to }]
      return [
        { from, to: number - 1 },
        { from: number + 1, to },
      ].filter(one => one.from <= one.to)
    })
  }
  return left
}

/** A reason stays one line. */
const MOST_NAMED = 3

function described(ranges: readonly Range[], size: number, load: string): string {
  const spell = (number: number) => String(number).padStart(6, '0')
  const parts = ranges
    .slice(0, MOST_NAMED)
    .map(({ from, to }) => (from === to ? spell(from) : `${spell(from)} to ${spell(to)}`))
  const rest = ranges.length > MOST_NAMED ? ', …' : ''
  return size === 1
    ? `number ${parts[0]} of load ${load} is missing`
    : `numbers ${parts.join(', ')}${rest} of load ${load} are missing`
}
