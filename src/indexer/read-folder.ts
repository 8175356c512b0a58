import { isUtf8 } from 'node:buffer'
import { type Dirent, readdirSync } from 'node:fs'

export interface FolderContent {
  items: Dirent[]
  /** Names that no text can spell, shown with `\xff` for each byte that is not ASCII; what bears them cannot be opened by name. */
  notUtf8: string[]
}

/**
 * What a folder holds. Names come as text, in which every byte that is not UTF-8 has become U+FFFD: two such names may
 * look the same, and neither would be found again. So where that sign stands, the bytes are looked at.
 *
 * @throws the system's error
 */
export function readFolder(path: string): FolderContent {
  const items = readdirSync(path, { withFileTypes: true })
  if (!items.some(({ name }) => name.includes('\u{FFFD}'))) return { items, notUtf8: [] }
  const names = readdirSync(path, { encoding: 'buffer' })
  const readable = new Set(names.filter(name => isUtf8(name)).map(name => name.toString('utf8')))
  return {
    // Each readable name once: one that is not UTF-8 may have been read as the same text.
    items: items.filter(({ name }) => readable.delete(name)),
    notUtf8: [...new Set(names.filter(name => !isUtf8(name)).map(spell))],
  }
}

function spell(name: Buffer): string {
  return name
    .toString('latin1')
    .replace(/[^\x20-\x7e]/g, byte => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
