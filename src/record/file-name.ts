import { formatTimestamp, isTimestamp } from './timestamp.ts'

/**
 * `<UTC time to the millisecond, without colons>-<sequence>.json` (entryFile). The writer spells the time
 * `2026-11-01T100000.000Z`; a reader also takes the spellings other tools make of "without colons", with
 * dashes in the time or none in the date. A sequence holds no dot and no space, so that the names which sync
 * tools give to their copies (`… (1).json`, `….sync-conflict-….json`) are not entries a second time.
 */
const ENTRY_FILE = /^(\d{4})-?(\d\d)-?(\d\d)T(\d\d)-?(\d\d)-?(\d\d)[.-]?(\d{3})Z-([A-Za-z0-9_-]+)\.json$/

export interface EntryFileName {
  /** The time the name states, in the record's time format. */
  at: string
  sequence: string
}

/** Reads an entry's file name; null where the name is not an entry's. */
export function parseEntryFileName(name: string): EntryFileName | null {
  const match = ENTRY_FILE.exec(name)
  if (!match) return null
  const [, year, month, day, hour, minute, second, millisecond, sequence] = match
  const at = `${year}-${month}-${day}T${hour}:${minute}:${second}.${millisecond}Z`
  return isTimestamp(at) ? { at, sequence: sequence as string } : null
}

/** The place of an entry among those of its load: a load's numbers count from 1 in each session. */
export interface LoadNumber {
  /** Eight hex digits, unique to a load. */
  load: string
  number: number
}

/** The number that an entry's file name states (`<load>-<6 digits>`); null where its sequence is no load's numbering. */
export function loadNumberOf(name: string): LoadNumber | null {
  const match = /-([0-9a-f]{8})-(\d{6})\.json$/.exec(name)
  // Asked of every entry that is indexed: whether its day is one of the calendar has been looked at by then.
  if (!match || !ENTRY_FILE.test(name)) return null
  const number = Number(match[2])
  return number === 0 ? null : { load: match[1] as string, number }
}

/** The entry's name for which a sync tool left a placeholder (`.<name>.icloud`) when it took the content away; null for another name. */
export function placeholderOf(name: string): string | null {
  const match = /^\.(.+)\.icloud$/.exec(name)
  return match && parseEntryFileName(match[1] as string) ? (match[1] as string) : null
}

/** The entry's name that a file stands for by its own: itself, or the one that a conflict file or a placeholder stands beside. */
export function entryNameOf(name: string): string {
  return conflictedName(name) ?? placeholderOf(name) ?? name
}

/** What a file in a session's folder is by its name alone; null for what a record ignores. */
export type NameClass = 'entry' | 'misnamed' | 'conflict' | null

/**
 * Sorts a name: an entry's; a JSON file's that is no entry's (unknown evidence); a conflict file's. Names that begin
 * with a dot, and all others, are ignored: sync tools and editors write there before they rename.
 */
export function classifyName(name: string): NameClass {
  if (name.startsWith('.')) return null
  if (conflictedName(name) !== null) return 'conflict'
  if (!/\.json$/i.test(name)) return null
  return parseEntryFileName(name) ? 'entry' : 'misnamed'
}

/** The name of the file of an entry of this time and sequence. */
export function entryFileName(at: Date, sequence: string): string {
  return `${formatTimestamp(at).replaceAll(':', '')}-${sequence}.json`
}

/**
 * Gives one load of a session its sequences: `<load>-000001`, `<load>-000002`, … A module's counter starts
 * again at a reload and at a resume while the session id stays (docs/host.md, names of files), so `load` must
 * be unique to the load; the counter keeps entries of one millisecond apart and in the order of writing.
 */
export function sequenceOf(load: string): () => string {
  let count = 0
  return () => {
    count += 1
    return `${load}-${String(count).padStart(6, '0')}`
  }
}

/** File systems hold no longer name, in bytes of UTF-8. */
export const LONGEST_FILE_NAME = 255

/**
 * The name under which `coord import` keeps the other bytes of a name that the record holds already. `digits` of the
 * hash stand in it: 12, or more in steps of four where that name is taken by other bytes again. A name that would
 * become too long is cut at the end of its sequence: it still tells the time, and the hash keeps it apart.
 */
export function conflictFileName(name: string, sha256: string, digits = 12): string {
  const suffix = `.conflict-${sha256.slice(0, digits)}`
  const room = LONGEST_FILE_NAME - suffix.length
  if (byteLength(name) <= room) return name + suffix
  // A name that is too long loses at least its `.json` here, which comes back below.
  const stem = [...name]
  while (byteLength(stem.join('')) > room - '.json'.length) stem.pop()
  return `${stem.join('')}.json${suffix}`
}

/** The entry name that a conflict file stands beside; null where `name` is no conflict file's. */
export function conflictedName(name: string): string | null {
  const match = /^(.+\.[jJ][sS][oO][nN])\.conflict-(?:[0-9a-f]{4}){3,16}$/.exec(name)
  return match ? (match[1] as string) : null
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}
