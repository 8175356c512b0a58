import type { FolderItem } from './listing.ts'

/**
 * Names of one folder that differ only in letter case, as copying through another file system makes them: each such
 * name with the entry's name that it would be, which is the first entry among them in the order of their bytes.
 * Empty in nearly every folder.
 */
export function caseTwins(items: readonly FolderItem[]): ReadonlyMap<string, string> {
  const files = items.filter(({ kind }) => kind === 'entry' || kind === 'misnamed')
  const entryNames = files.filter(({ kind }) => kind === 'entry').map(({ name }) => name)
  const firstOf = new Map<string, string>()
  for (const name of entryNames.sort().reverse()) firstOf.set(name.toLowerCase(), name)
  const twins = new Map<string, string>()
  for (const { name } of files) {
    const first = firstOf.get(name.toLowerCase())
    if (first !== undefined && first !== name) twins.set(name, first)
  }
  return twins
}
