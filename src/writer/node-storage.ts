import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../files/make-folder.ts'
import { FileExistsError, type RecordStorage } from './storage.ts'

/** The record on the file system, for programs that run on Node. The record is private to its user, as the host makes it. */
export const nodeStorage: RecordStorage = {
  async create(path, content) {
    makeFolder(dirname(path))
    const file = await openNew(path)
    try {
      const bytes = Buffer.from(content)
      const { bytesWritten } = await file.write(bytes)
      // A full disk can take a part of a write. What is there stays, as damaged evidence: a second write would
      // make a file that was never whole look whole to a reader that came in between.
      if (bytesWritten < bytes.length)
        throw new Error(`wrote ${bytesWritten} of ${bytes.length} bytes: ${path}`)
    } finally {
      await file.close()
    }
  },
}

async function openNew(path: string) {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new FileExistsError(path)
    throw error
  }
}
