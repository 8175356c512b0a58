import type { IndexWriter } from '../database/index-writer.ts'
import { formatTimestamp } from '../record/timestamp.ts'
import type { IndexerReport } from './indexer-report.ts'
import type { Loading } from './loading.ts'
import type { Place } from './place.ts'

/** Begins a run over a record. */
export function startLoading(
  place: Place,
  report: IndexerReport,
  writer: IndexWriter,
): { loading: Loading; at: Date } {
  const at = new Date()
  const work = { foldersListed: 0, filesOpened: 0, filesAdded: 0, filesRemoved: 0, resultsRead: 0 }
  const loading: Loading = {
    recordDir: place.recordDir,
    knownDir: place.knownDir,
    writer,
    work,
    now: formatTimestamp(at),
    gone: [],
    onFile: () => report.progress(work.filesOpened),
    onChange: report.change,
    onNote: report.note,
    onRewritten: file =>
      report.note(
        `${file} was rewritten since it was indexed, which an entry never is; the answer goes by what it holds now`,
      ),
  }
  return { loading, at }
}
