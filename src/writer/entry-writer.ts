import { checkEntry, type Entry } from '../record/entry.ts'
import { entryFileName, parseEntryFileName } from '../record/file-name.ts'
import { FileExistsError, type RecordStorage } from './storage.ts'

/** What came of writing one entry: its path below the record's folder, or why recording is degraded (rule.recordingMayFail). */
export type WriteResult = { file: string } | { degraded: string }

export interface EntryWriter {
  /**
   * Writes one entry as one new file in the folder of the entry's session (rule.oneWriter). Never throws and
   * never rejects: a failure is in the result, and the caller goes on with its message.
   */
  write(entry: Entry): Promise<WriteResult>
}

export interface EntryWriterOptions {
  /** Absolute path of the record's folder. */
  recordDir: string
  storage: RecordStorage
  /** Gives each file the part of its name that keeps it apart from every other (`sequenceOf`). */
  sequence: () => string
}

const MOST_TRIES = 100

/** Makes the one writer of one load of one session. */
export function entryWriter({ recordDir, storage, sequence }: EntryWriterOptions): EntryWriter {
  return {
    async write(entry) {
      try {
        const checked = checkEntry(entry)
        if ('reason' in checked)
          return { degraded: `the entry is not one of the record's: ${checked.reason}` }
        const content = JSON.stringify(entry)
        for (let tries = 0; tries < MOST_TRIES; tries++) {
          const name = entryFileName(new Date(entry.at), sequence())
          if (parseEntryFileName(name) === null) return { degraded: `${name} is no entry's file name` }
          const file = `${entry.sessionId}/${name}`
          if (await created(storage, `${recordDir}/${file}`, content)) return { file }
        }
        return {
          degraded: `every name tried in ${recordDir}/${entry.sessionId} is taken; is the sequence unique to this load?`,
        }
      } catch (error) {
        return { degraded: error instanceof Error ? error.message : String(error) }
      }
    },
  }
}

async function created(storage: RecordStorage, path: string, content: string): Promise<boolean> {
  try {
    await storage.create(path, content)
    return true
  } catch (error) {
    if (error instanceof FileExistsError) return false
    throw error
  }
}
