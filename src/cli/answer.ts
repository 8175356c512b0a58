import { existsSync } from 'node:fs'
import { escapeText } from '../hostile-text/escape-text.ts'
import type { IndexerReport } from '../indexer/indexer-report.ts'
import type { Place } from '../indexer/place.ts'
import type { Refreshed } from '../indexer/refreshed.ts'
import type { Freshness, Gaps } from '../query/freshness.ts'
import type { SqliteDatabase } from '../sqlite/sqlite-database.ts'
import { isDamage, isLeftHalfDone } from '../sqlite/sqlite-error.ts'
import type { Console } from './console.ts'
import { EXIT } from './exit.ts'

/** What a command reads its answer from. */
export interface Source {
  db: SqliteDatabase
  freshness: Freshness
  gaps: Gaps
}

const FILES_NAMED = 3

/**
 * Refreshes the index unless told not to, reads an answer from one unchanging view of it, prints it, and tells what
 * it lacks. Returns the exit code: partial where something could not be read (README.md, exit codes).
 */
export async function answerFromIndex(
  place: Place,
  options: { refresh?: boolean; json?: boolean },
  console: Console,
  answer: (source: Source) => Promise<string[]> | string[],
): Promise<number> {
  const { readIndex } = await import('../sqlite/read-index.ts')
  const { describeGaps, readFreshness, readGaps } = await import('../query/freshness.ts')
  const { indexIdentity, setDamagedAside, settleIndex } = await import('../indexer/refresh-index.ts')
  let identity: number | null = null
  const read = async () => {
    const checkedAt = options.refresh === false ? null : (await refreshed(place, {}, console)).at
    identity = indexIdentity(place.indexPath)
    return readIndex(place.indexPath, place.recordDir, async db => {
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
    if (isLeftHalfDone(error)) await settleIndex(place, () => reportTo(console).waiting?.())
    else if (isDamage(error) && options.refresh !== false && identity !== null) {
      await setDamagedAside(place, identity, text => note(console, text))
    } else if (options.refresh === false || existsSync(place.indexPath)) throw error
    // Else another process has removed the index since it was refreshed.
    return read()
  })
  for (const chunk of chunks) await console.print(chunk)
  for (const text of notes) note(console, text)
  if (options.refresh === false && !options.json)
    note(console, `answered from the index as of ${freshness.indexedAt}`)
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
    waiting: () =>
      console.progress('waiting for another indexer to finish; --no-refresh answers from the index as it is'),
    note: text => note(console, text),
  }
}

function note(console: Console, text: string): void {
  console.tell(`coord: ${escapeText(text)}`)
}
