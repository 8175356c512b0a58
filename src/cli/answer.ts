import type { Database } from '../database/sqlite.ts'
import { isDamage } from '../database/sqlite.ts'
import type { Place } from '../indexer/place.ts'
import type { IndexerReport, Refreshed } from '../indexer/refresh-index.ts'
import type { Freshness, Gaps } from '../query/freshness.ts'
import type { Console } from './console.ts'
import { EXIT } from './exit.ts'

/** What a command reads its answer from. */
export interface Source {
  db: Database
  freshness: Freshness
  gaps: Gaps
}

const FILES_NAMED = 10

/**
 * Refreshes the index unless told not to, reads an answer from one unchanging view of it, prints it, and tells what
 * it lacks. Returns the exit code: partial where something could not be read (README.md, exit codes).
 */
export async function answerFromIndex(
  place: Place,
  options: { refresh?: boolean },
  console: Console,
  answer: (source: Source) => Promise<string[]> | string[],
): Promise<number> {
  const { readIndex } = await import('../database/read-index.ts')
  const { describeGaps, readFreshness, readGaps } = await import('../query/freshness.ts')
  const { setDamagedAside } = await import('../indexer/refresh-index.ts')
  const read = async () => {
    const checkedAt = options.refresh === false ? null : (await refreshed(place, {}, console)).at
    return readIndex(place.indexPath, async db => {
      const freshness = readFreshness(db, checkedAt, new Date())
      const gaps = readGaps(db, FILES_NAMED)
      // The whole answer is read before any of it is printed: a reader that stops to look, such as a pager, would
      // otherwise hold the index against every indexer.
      return {
        chunks: await answer({ db, freshness, gaps }),
        freshness,
        notes: describeGaps(gaps, freshness),
      }
    })
  }
  const { chunks, freshness, notes } = await read().catch(async error => {
    if (!isDamage(error) || options.refresh === false) throw error
    await setDamagedAside(place, text => note(console, text))
    return read()
  })
  for (const chunk of chunks) await console.print(chunk)
  for (const text of notes) note(console, text)
  return freshness.unreadable > 0 ? EXIT.partial : EXIT.done
}

/** Refreshes the index and tells how it goes. */
export async function refreshed(
  place: Place,
  options: { rebuild?: boolean },
  console: Console,
): Promise<Refreshed> {
  const { refreshIndex } = await import('../indexer/refresh-index.ts')
  return refreshIndex(place, { ...options, report: reportTo(console) })
}

/** An indexer's report as a person reads it. */
export function reportTo(console: Console): Partial<IndexerReport> {
  return {
    progress: files => console.progress(`indexing: ${files.toLocaleString('en')} files read`),
    waiting: () => console.progress('waiting for another indexer to finish'),
    note: text => note(console, text),
  }
}

function note(console: Console, text: string): void {
  console.tell(`coord: ${text}`)
}
