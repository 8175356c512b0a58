import type { FolderItem } from './listing.ts'

/**
 * Names of one folder that differ only in letter case, as copying through another file system makes them: each such
 * name with the entry's name that it would be. That is the first of them, in the order of their bytes, that can be
 * read. Empty in nearly every folder.
 *
 * @param isReadable asked only of names that have a twin
 */
export function caseTwins(
  items: readonly FolderItem[],
  isReadable: (name: string) => boolean,
): ReadonlyMap<string, string> {
  const groups = new Map<string, FolderItem[]>()
  for (const item of items) {
    if (item.kind !== 'entry' && item.kind !== 'misnamed') continue
    const key = item.name.toLowerCase()
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  const twins = new Map<string, string>()
  for (const group of groups.values()) {
    if (group.length === 1) continue
    const entries = group.filter(({ kind }) => kind === 'entry').map(({ name }) => name)
    const first = entries.sort().find(isReadable) ?? entries[0]
    for (const { name } of group) if (first !== undefined && name !== first) twins.set(name, first)
  }
  return twins
}
