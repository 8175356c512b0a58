import { escapeText } from '../../hostile-text/escape-text.ts'
import { isTimestamp } from '../../record/timestamp.ts'

/** A record's time for people: local `2026-11-01 10:00:00`, or with `utc` `2026-11-01 10:00:00Z`. */
export function formatTime(timestamp: string, options: { utc?: boolean } = {}): string {
  if (!isTimestamp(timestamp)) return escapeText(timestamp)
  if (options.utc) return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 19)}Z`
  const at = new Date(timestamp)
  const day = [String(at.getFullYear()).padStart(4, '0'), two(at.getMonth() + 1), two(at.getDate())]
  return `${day.join('-')} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

const UNITS: readonly [milliseconds: number, name: string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
]

/** How long ago, in the largest unit that fits: `3 h ago`, `just now`; a time ahead is `in 3 h`. */
export function formatAge(ageMs: number): string {
  const length = Math.abs(ageMs)
  for (const [milliseconds, name] of UNITS) {
    if (length < milliseconds) continue
    const amount = `${Math.floor(length / milliseconds)} ${name}`
    return ageMs > 0 ? `${amount} ago` : `in ${amount}`
  }
  return 'just now'
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
