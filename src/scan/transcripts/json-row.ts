/** A row of a transcript, or an object in one. */
export type JsonObject = Record<string, unknown>

/** The value as an object; undefined where it is none. */
export function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined
}

/** The value as a string; undefined where it is none. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The value's objects where it is an array; an empty array else. */
export function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(one => objectOf(one) !== undefined) : []
}

/** The fields of these names, as far as the object has them. */
export function pick(row: JsonObject, ...names: string[]): JsonObject {
  return Object.fromEntries(names.filter(name => row[name] !== undefined).map(name => [name, row[name]]))
}

/** An id as the name of a property: no object has one of this form of its own accord. */
export function keyOf(id: string): string {
  return `#${id}`
}

/** A time that a row states as a number, as ISO 8601; null where it states none. @param unit milliseconds of one */
export function momentOfNumber(value: unknown, unit = 1): string | null {
  if (typeof value !== 'number') return null
  const time = new Date(value * unit)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}

/** A time that a row states, as ISO 8601 in UTC with milliseconds; null where it states none. */
export function momentOf(value: unknown): string | null {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value)) return null
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}
