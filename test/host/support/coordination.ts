import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEntry } from '../../../src/record/entry.ts'
import type { Profile } from './profile.ts'
import type { StreamSession } from './stream.ts'
import { waitFor } from './wait-for.ts'

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

/**
 * Does `act`, and waits until the turn that its message begins at the receiver has ended and the message is recorded at
 * both ends, which happens beside it; a receiver without the plugin records nothing.
 */
export async function arriving<Result>(
  record: string,
  receiver: StreamSession,
  act: () => Promise<Result>,
): Promise<Result> {
  const id = receiver.sessionId()
  const received = () => entriesOf(record, id, 'message').filter(({ side }) => side === 'received').length
  const sent = () =>
    readdirSync(record)
      .flatMap(session => entriesOf(record, session, 'message'))
      .filter(({ side, peer }) => side === 'sent' && peer.sessionId === id).length
  const [turns, messages] = [receiver.results().length, received()]
  const result = await act()
  await waitFor(() => receiver.results()[turns], { what: 'the turn that the message begins' })
  if (existsSync(join(record, id)))
    await waitFor(() => received() > messages && sent() >= received(), { what: 'the message in the record' })
  return result
}
