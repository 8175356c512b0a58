import type { Place } from '../../src/indexer/place.ts'
import { readChains } from '../../src/query/read-chains.ts'
import { type Row, runQuery } from '../../src/query/run-query.ts'
import { askable, sqliteDialect } from '../../src/sqlite/dialect.ts'
import { readIndex } from '../../src/sqlite/read-index.ts'

const RELATIONS = [
  ...['entries', 'messages', 'sessions', 'chain', 'unreadable'],
  ...['directions', 'scanned_messages', 'sources', 'results', 'runs', 'steps'],
]
/** What depends on when and how often the indexer ran, not on the record. */
const OF_THE_RUN = ['first_seen', 'tries']

/** All that an index answers, without what depends on the runs that made it; in process, for tests that ask often. */
export async function answersOf(place: Place): Promise<Record<string, unknown>> {
  return readIndex(place.indexPath, place.recordDir, async sqlite => {
    const db = askable(sqlite)
    const answers: Record<string, unknown> = { tree: readChains(sqlite) }
    for (const relation of RELATIONS) {
      const rows: Row[] = []
      for await (const row of runQuery(db, { relation, now: new Date(0), dialect: sqliteDialect }).rows) {
        rows.push(Object.fromEntries(Object.entries(row).filter(([name]) => !OF_THE_RUN.includes(name))))
      }
      answers[relation] = rows
    }
    // What full-text search finds is an answer too, and the one that a refresh most easily leaves behind.
    answers.search = sqlite
      .prepare(`select rowid from message_fts where message_fts match 'word*'`)
      .all().length
    return answers
  })
}
