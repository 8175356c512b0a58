import { list, type ReadEntry } from 'tar'
import { Problem } from '../problem.ts'
import { classifyName } from '../record/file-name.ts'
import { LARGEST_SOURCE, type SourceFile, type SourceProblem } from './source-files.ts'

/**
 * Hands over the files of a tar, compressed or not. Of a path only its last two names count, the session's folder
 * and the file, so that nothing in a tar can point out of the record.
 *
 * @throws Problem `record` where the file is no tar, or is cut off
 */
export async function tarFiles(
  path: string,
  take: (file: SourceFile | SourceProblem) => void,
): Promise<void> {
  try {
    await list({ file: path, strict: true, onReadEntry: entry => readTarEntry(entry, take) })
  } catch (error) {
    throw new Problem('record', `${path} cannot be read as a tar: ${(error as Error).message}`, {
      path,
      hint: 'name a record folder, or a whole tar of one',
      cause: error,
    })
  }
}

function readTarEntry(entry: ReadEntry, take: (file: SourceFile | SourceProblem) => void): void {
  const [name = '', folder] = entry.path.split('/').reverse()
  if (folder === undefined || folder === '' || folder.startsWith('.') || classifyName(name) === null) return
  if (entry.type !== 'File' && entry.type !== 'OldFile' && entry.type !== 'ContiguousFile') {
    return take({ path: entry.path, problem: `not a file but ${entry.type}, not followed` })
  }
  if (entry.size > LARGEST_SOURCE)
    return take({ path: entry.path, problem: `too large: ${entry.size} bytes` })
  const chunks: Buffer[] = []
  entry.on('data', chunk => chunks.push(chunk))
  entry.on('end', () => take({ path: entry.path, folder, name, bytes: Buffer.concat(chunks) }))
}
