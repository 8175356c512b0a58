const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** The record's time format (timeFormat): UTC to the millisecond in ISO 8601, for example `2026-11-01T10:00:00.000Z`. */
export function formatTimestamp(at: Date): string {
  return at.toISOString()
}

/** Whether `value` is a time in the record's format and a day of the calendar. */
export function isTimestamp(value: string): boolean {
  if (!TIMESTAMP.test(value)) return false
  const time = Date.parse(value)
  return !Number.isNaN(time) && new Date(time).toISOString() === value
}
