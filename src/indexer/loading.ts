import type { IndexWriter } from '../database/index-writer.ts'

/** What a load of the record keeps count of, beside the index itself. */
export interface LoadWork {
  foldersListed: number
  filesOpened: number
  /** Names that are new, and names that are gone. */
  filesAdded: number
  filesRemoved: number
  /** Results whose files were opened. */
  resultsRead: number
}

/** One thing that changed in the index; for those who follow a record live. */
export interface Change {
  change: 'added' | 'removed' | 'unreadable'
  /** Path below the record's folder. */
  file: string
  sessionId: string
  kind?: 'start' | 'chain' | 'message'
  reason?: string
}

/** One run over the record, with all that its steps share. */
export interface Loading {
  recordDir: string
  /** `Place.knownDir` */
  knownDir: string | null
  writer: IndexWriter
  work: LoadWork
  /** The time of this load, in the record's format. */
  now: string
  /** Entries that were indexed and are no longer there, by their paths below the record's folder. */
  gone: string[]
  onFile: () => void
  onChange: (change: Change) => void
  /** An entry whose bytes are not those that were indexed. */
  onRewritten: (file: string) => void
  /** Something a person should know, in one sentence. */
  onNote: (text: string) => void
}

/** A folder of the record that stands in the index. */
export interface FolderToLoad {
  id: number
  name: string
}
