const DEEPEST = 8
const LONGEST = 2_000
const MOST = 100

/**
 * A value of a row as evidence keeps it: what is nested deeper, longer or more than any field of a program is cut and
 * says so. Words are kept whole elsewhere.
 */
function clipped(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.length > LONGEST ? `${value.slice(0, LONGEST)} […]` : value
  if (typeof value !== 'object' || value === null) return value
  if (depth === DEEPEST) return '[…]'
  if (Array.isArray(value)) {
    const items = value.slice(0, MOST).map(one => clipped(one, depth + 1))
    return value.length > MOST ? [...items, '[…]'] : items
  }
  const entries = Object.entries(value)
  const kept = entries.slice(0, MOST).map(([name, one]) => [name, clipped(one, depth + 1)])
  return Object.fromEntries(entries.length > MOST ? [...kept, ['…', '[…]']] : kept)
}

/** The fields of a row as evidence keeps them. */
export function clippedFields(fields: Record<string, unknown>): Record<string, unknown> {
  return clipped(fields) as Record<string, unknown>
}
