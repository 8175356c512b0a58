import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEntry } from '../../../src/record/entry.ts'
import type { Profile } from './profile.ts'

/** The plugin as it is committed: `npm run build` makes its mod. */
export const PLUGIN = resolve(import.meta.dirname, '../../../plugins/coordination')

/** The record's default folder in a profile. */
export function recordOf(profile: Profile): string {
  return join(profile.data, 'coordination', 'record')
}

/** The readable entries of a session, in the order of their names; of one kind, if it is given. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into entries of every kind
export function entriesOf(recordDir: string, sessionId: string, kind?: string): any[] {
  const folder = join(recordDir, sessionId)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .sort()
    .flatMap(name => {
      const read = parseEntry(readFileSync(join(folder, name), 'utf8'))
      return 'entry' in read && (kind === undefined || read.entry.kind === kind) ? [read.entry] : []
    })
}
