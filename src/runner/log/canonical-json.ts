/**
 * A value as the one JSON text that stands for it: keys in code-unit order, no blanks, no `undefined`. Lone surrogates
 * are written as escapes, so the text is always valid UTF-8.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? 'null'
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const plain: Record<string, unknown> = Object.create(null)
  for (const key of Object.keys(value).sort()) plain[key] = sorted((value as Record<string, unknown>)[key])
  return plain
}
