import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Every regular file below a folder: relative path to its bytes in hex or, where it is text, as text. */
export function filesIn(folder: string): Record<string, string> {
  const files: Record<string, string> = {}
  for (const item of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!item.isFile()) continue
    const path = join(item.parentPath, item.name)
    files[path.slice(folder.length + 1)] = readFileSync(path, 'latin1')
  }
  return files
}
