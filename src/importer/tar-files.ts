import type { ReadEntry } from 'tar'
import { classifyName } from '../record/file-name.ts'
import { LARGEST_FILE } from './regular-file.ts'
import { isEntryLike, type SourceFile, type SourceProblem, statedSpelling } from './source-file.ts'
import { tarEntries } from './tar-entries.ts'
import { TarLayout } from './tar-layout.ts'

/**
 * The files of a tar, compressed or not. Of a path only its last two names count, the session's folder and the file,
 * so that nothing in a tar can point out of the record. The whole tar is read once before the first file is handed
 * over: it must be whole, and which of its folders are sessions' shows only at its end.
 *
 * @throws Problem `record` where the file is no tar, or is cut off
 */
export function tarFiles(path: string): () => Generator<SourceFile | SourceProblem> {
  const layout = new TarLayout()
  const spellings = new Map<string, string>()
  const entryFolder = (entry: { path: string; type: string; size: number }) => {
    const place = placeOf(entry.path)
    if (place === null || !isFile(entry.type) || !isEntryLike(place.name)) return null
    return place
  }
  const wantsBytes = (entry: ReadEntry) => {
    const place = entryFolder(entry)
    return place !== null && entry.size <= LARGEST_FILE && !spellings.has(place.dir)
  }
  for (const entry of tarEntries(path, wantsBytes)) {
    const place = entryFolder(entry)
    if (place === null) continue
    layout.add(place.dir)
    const spelling = entry.bytes && statedSpelling(entry.bytes, place.folder)
    if (spelling) spellings.set(place.dir, spelling)
  }
  return () => filesOf(path, layout, spellings)
}

function* filesOf(
  path: string,
  layout: TarLayout,
  spellings: Map<string, string>,
): Generator<SourceFile | SourceProblem> {
  const wantsBytes = (entry: ReadEntry) =>
    placeOf(entry.path) !== null && isFile(entry.type) && entry.size <= LARGEST_FILE
  for (const entry of tarEntries(path, wantsBytes)) {
    const place = placeOf(entry.path)
    if (place === null) continue
    const { dir, folder, name } = place
    const isNone = layout.whyNoSession(dir)
    if (isNone !== null) {
      if (isEntryLike(name)) yield { path: entry.path, problem: isNone }
      continue
    }
    const { bytes } = entry
    if (!isFile(entry.type)) yield { path: entry.path, problem: `not a file but ${entry.type}, not followed` }
    else if (bytes === null) yield { path: entry.path, problem: `too large: ${entry.size} bytes` }
    else {
      const spelling = () => spellings.get(dir) ?? null
      yield { path: entry.path, folder, name, spelling, read: () => ({ bytes }) }
    }
  }
}

interface Place {
  /** The folder's path, in one spelling whether or not it was given with `./`. */
  dir: string
  folder: string
  name: string
}

/** Where an entry of a tar would lie; null for what a record ignores. */
function placeOf(path: string): Place | null {
  const parts = path.split('/').filter(part => part !== '' && part !== '.')
  const name = parts.pop() ?? ''
  const folder = parts.at(-1) ?? ''
  if (classifyName(name) === null || (folder.startsWith('.') && folder !== '..')) return null
  return { dir: parts.join('/'), folder, name }
}

function isFile(type: string): boolean {
  return type === 'File' || type === 'ContiguousFile'
}
