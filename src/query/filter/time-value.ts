/** The milliseconds from `from` until before `to` that a time in a filter names; one millisecond where it is exact. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/
const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?(Z|[+-]\d\d(?::?\d\d)?)?$/i
const AGE = /^(\d+)([smhdw])$/i
const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

export const TIME_WORDS: readonly string[] = ['today', 'yesterday', 'now']
export const TIME_FORMS =
  "times: '2026-11-01', '2026-11-01 10:00', '2026-11-01T10:00:00Z', today, yesterday, now, or an age: 30s 15m 2h 7d 2w"

/**
 * Reads a time of a filter; null where it is none, such as a day that is not in the calendar.
 * - A date, `today` and `yesterday` are the whole day of the person's time zone, however long it is.
 * - A time is local, or of the zone that it names with `Z` or an offset. It is the whole minute or second that it is
 *   written to, as tables show it; with a fraction it is exact.
 * - `now` and an age such as `2h` (that long before now) are exact.
 * A local time that a change of clocks skips or repeats is read as JavaScript does: later, or the first of the two.
 */
export function readTime(text: string, now: Date): TimeSpan | null {
  const word = text.toLowerCase()
  if (word === 'now') return exactly(now.getTime())
  if (word === 'today') return localDay(now.getFullYear(), now.getMonth(), now.getDate())
  if (word === 'yesterday') return localDay(now.getFullYear(), now.getMonth(), now.getDate() - 1)
  const age = AGE.exec(text)
  if (age) {
    const seconds = Number(age[1]) * (SECONDS[(age[2] as string).toLowerCase()] as number)
    return exactly(now.getTime() - seconds * 1000)
  }
  const date = DATE.exec(text)
  if (date) {
    const [year, month, day] = date.slice(1, 4).map(Number) as [number, number, number]
    return isDay(year, month, day) ? localDay(year, month - 1, day) : null
  }
  return readDateTime(text)
}

function readDateTime(text: string): TimeSpan | null {
  const match = DATE_TIME.exec(text)
  if (!match) return null
  const [year, month, day, hour, minute] = match.slice(1, 6).map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ]
  const second = Number(match[6] ?? 0)
  const fraction = match[7]
  const millisecond = Number((fraction ?? '').padEnd(3, '0'))
  if (!isDay(year, month, day) || hour > 23 || minute > 59 || second > 59) return null
  const zone = match[8]
  const length = fraction !== undefined ? 1 : match[6] === undefined ? 60_000 : 1_000
  if (zone === undefined) {
    const at = localTime(year, month - 1, day, hour, minute, second, millisecond)
    return { from: at, to: at + length }
  }
  const offset = zoneMinutes(zone)
  if (offset === null) return null
  const wall = new Date(0)
  wall.setUTCFullYear(year, month - 1, day)
  wall.setUTCHours(hour, minute, second, millisecond)
  const at = wall.getTime() - offset * 60_000
  return { from: at, to: at + length }
}

function zoneMinutes(zone: string): number | null {
  if (zone.toUpperCase() === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', ''))
  if (hours > 23 || minutes > 59) return null
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

function localDay(year: number, month: number, day: number): TimeSpan {
  return { from: localTime(year, month, day), to: localTime(year, month, day + 1) }
}

/** Like `new Date(…)`, which takes the years 0 to 99 for 1900 to 1999. */
function localTime(year: number, month: number, day: number, ...time: [] | [number, number, number, number]) {
  const date = new Date(2000, 0, 1)
  date.setFullYear(year, month, day)
  const [hour, minute, second, millisecond] = time.length === 0 ? [0, 0, 0, 0] : time
  date.setHours(hour, minute, second, millisecond)
  return date.getTime()
}

function exactly(at: number): TimeSpan {
  return { from: at, to: at + 1 }
}

const FIRST = Date.parse('0000-01-01T00:00:00.000Z')
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

/** A moment as the index stores it; one outside the years that the record can state sorts before or after them all. */
export function storedTime(at: number): string {
  if (at < FIRST) return ''
  if (!(at <= LAST)) return ':'
  return new Date(at).toISOString()
}
