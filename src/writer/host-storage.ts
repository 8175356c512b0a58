import { FileExistsError, type RecordStorage } from './storage.ts'

/** The part of the host's `$` that the writer needs. */
export interface HostFiles {
  fs: {
    stat(path: string): Promise<unknown>
    write(path: string, text: string): Promise<unknown>
  }
}

/**
 * The record through the host's `$.fs` (docs/host.md, writing and reading files). The host makes the folders above, writes
 * once and has no exclusive create: an existing file would be overwritten in place. So the path is looked up
 * first; a name is unique to one load of one session, which leaves no second writer to race with.
 */
export function hostStorage($: HostFiles): RecordStorage {
  return {
    async create(path, content) {
      if (await exists($, path)) throw new FileExistsError(path)
      await $.fs.write(path, content)
    },
  }
}

async function exists($: HostFiles, path: string): Promise<boolean> {
  try {
    await $.fs.stat(path)
    return true
  } catch (error) {
    // Any other failure, such as a folder that may not be searched, says nothing about the file: let it be told.
    if (/\bENOENT\b/.test((error as Error).message)) return false
    throw error
  }
}
