import type { EvidenceRow, KnownFile, NewEntryRow, NewGapRow, NewTextRow, NewUnread } from './new-rows.ts'
import type { FolderRow, GapRow, SessionRow, UnreadRow } from './tables.ts'

/**
 * Everything that is ever written to an index. The transaction begins with the first write, so that a refresh with
 * nothing new writes nothing; `commit` ends it.
 */
export interface IndexWriter extends GapWriter, ResultWriter {
  folders(): FolderRow[]
  knownFiles(folderId: number): KnownFile[]
  /** The folders of files that another look may read. */
  retriedFolders(): Set<number>
  /** The stored facts of a session. */
  facts(sessionId: string): string | null
  evidence(sessionId: string): Iterable<EvidenceRow>

  addFolder(folder: Omit<FolderRow, 'id'>): number
  updateFolder(folder: FolderRow): void
  removeFolder(id: number): void
  addEntry(
    file: { folder_id: number; name: string; stat: string; sha256: string },
    row: NewEntryRow,
    text: NewTextRow | null,
  ): void
  updateEntryStat(id: number, stat: string): void
  removeEntry(id: number): void
  addUnread(row: NewUnread, now: string): void
  /** Another look that could not read it either. */
  retryUnread(id: number, row: Pick<UnreadRow, 'stat' | 'sha256' | 'reason'>, isSameFile: boolean): void
  removeUnread(id: number): void
  putSession(row: SessionRow): void
  removeSession(sessionId: string): void
  setMeta(key: string, value: string): void
  meta(key: string): string | null

  /** Rows inserted, updated and deleted so far on this connection. */
  rowsWritten(): number
  isChanged(): boolean
  /** Whether anything was written that an answer about the record depends on, other than how often a file was looked at. */
  isContentChanged(): boolean
  commit(): void
}

/** What is missing of the record. */
export interface GapWriter {
  /** Names of entries that a folder held and holds no more. */
  goneIn(folder: string): string[]
  /** Keeps in mind that the file of an entry, which is taken out next, is gone. */
  addGone(entryId: number, since: string): void
  removeGone(folder: string, name: string): void
  gaps(sessionId: string): GapRow[]
  addGap(row: NewGapRow, now: string): void
  removeGap(id: number): void
}

/** What the loaders of results write; no projection depends on it. */
export interface ResultWriter {
  rowsOf<Row>(table: ResultTable): Row[]
  rowOf<Row>(table: ResultTable, id: number): Row
  /** Adds a row of these columns; gives its id. */
  adding(table: ResultTable, columns: readonly string[]): (row: object) => number
  /** Replaces these columns of the row with the id `id`. */
  replacing(table: ResultTable, columns: readonly string[]): (row: object) => void
  /** Removes the rows in which a column has a value. */
  removing(table: ResultTable, column: string): (value: number) => void
  /** Makes the words of a result's messages searchable, once they are added; a new index gets all of its own at the end. */
  addWords(resultId: number): void
  /** Takes them out again, before the messages are removed. */
  removeWords(resultId: number): void
}

export type ResultTable =
  | 'result'
  | 'scan_source'
  | 'scan_message'
  | 'scan_direction'
  | 'scan_delivery'
  | 'scan_arrival'
  | 'run'
  | 'run_step'
