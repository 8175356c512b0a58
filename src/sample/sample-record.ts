import { readdirSync } from 'node:fs'
import { makeFolder } from '../files/make-folder.ts'
import { Problem } from '../problem/problem.ts'
import type { Entry } from '../record/entry.ts'
import { sequenceOf } from '../record/file-name.ts'
import { entryWriter } from '../writer/entry-writer.ts'
import { nodeStorage } from '../writer/node-storage.ts'
import { sampleEntries } from './sample-entries.ts'

/**
 * Writes the built-in sample record into an empty folder, through the writer that sessions use; the folder is made
 * where there is none. Returns the number of entries.
 *
 * @throws Problem `failed` where the folder holds something, `environment` where it cannot be written
 */
export async function writeSampleRecord(recordDir: string): Promise<number> {
  checkEmpty(recordDir)
  const writers = new Map<string, ReturnType<typeof entryWriter>>()
  for (const entry of sampleEntries) {
    const writer =
      writers.get(entry.sessionId) ??
      entryWriter({ recordDir, storage: nodeStorage, sequence: sequenceOf('sample') })
    writers.set(entry.sessionId, writer)
    await writeOne(writer, entry, recordDir)
  }
  return sampleEntries.length
}

async function writeOne(
  writer: ReturnType<typeof entryWriter>,
  entry: Entry,
  recordDir: string,
): Promise<void> {
  const result = await writer.write(entry)
  if ('degraded' in result) {
    throw new Problem('environment', `the sample could not be written: ${result.degraded}`, {
      path: recordDir,
    })
  }
}

function checkEmpty(recordDir: string): void {
  try {
    makeFolder(recordDir)
  } catch (error) {
    throw new Problem('environment', `the folder cannot be made: ${(error as Error).message}`, {
      path: recordDir,
      cause: error,
    })
  }
  if (readdirSync(recordDir).length > 0) {
    throw new Problem('failed', `${recordDir} is not empty; a sample goes only into an empty folder`, {
      path: recordDir,
      hint: 'name a folder that does not exist yet',
    })
  }
}
