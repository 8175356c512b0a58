/**
 * The candidate that a mistyped word most likely means; null where none is near. A word counts as near within a
 * third of its length in typing mistakes, or as the beginning of a candidate.
 */
export function nearest(word: string, candidates: readonly string[]): string | null {
  if (word.length > 64) return null
  const wanted = plain(word)
  let best: string | null = null
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(wanted, plain(candidate))
    if (distance < bestDistance && distance < plain(candidate).length) {
      best = candidate
      bestDistance = distance
    }
  }
  if (best !== null) return best
  return candidates.find(candidate => wanted.length >= 3 && plain(candidate).startsWith(wanted)) ?? null
}

/** `sessionId` and `session-id` mean `session_id`. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '')
}

/** Insertions, deletions, substitutions and swaps of neighbours that lead from one word to the other. */
function editDistance(from: string, to: string): number {
  let before: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const cost = from[row - 1] === to[column - 1] ? 0 : 1
      let distance = Math.min(
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + cost,
      )
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (isSwap) distance = Math.min(distance, (before[column - 2] as number) + 1)
      current.push(distance)
    }
    before = last
    last = current
  }
  return last[to.length] as number
}
