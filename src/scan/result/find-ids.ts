import { Problem } from '../../problem/problem.ts'

const LISTED = 5

/**
 * The full ids that ids or their beginnings name, each once; a beginning must name one row.
 *
 * @param what the rows are called where one is not found
 * @throws Problem `not-found` where none or several begin so
 */
export function findByPrefix(
  prefixes: readonly string[],
  rows: Iterable<{ row: { id: string } }>,
  what: string,
  hint: string,
): string[] {
  const found = new Map<string, string[]>(prefixes.map(prefix => [prefix, []]))
  for (const { row } of rows) {
    for (const [prefix, ids] of found) if (row.id.startsWith(prefix)) ids.push(row.id)
  }
  return [...new Set([...found].map(([prefix, ids]) => onlyOne(prefix, ids, what, hint)))]
}

function onlyOne(prefix: string, ids: readonly string[], what: string, hint: string): string {
  const [first, second] = ids
  if (prefix !== '' && first !== undefined && (second === undefined || ids.includes(prefix)))
    return second === undefined ? first : prefix
  if (prefix === '' || first === undefined)
    throw new Problem('not-found', `no ${what} has the id ${prefix === '' ? '""' : prefix}`, { hint })
  const more = ids.length > LISTED ? `, and ${ids.length - LISTED} more` : ''
  throw new Problem('not-found', `${ids.length} of them begin with ${prefix}`, {
    hint: `write more of it: ${ids.slice(0, LISTED).join(', ')}${more}`,
  })
}
