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
