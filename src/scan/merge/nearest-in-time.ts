/** Things with times, of which each is taken once. */
export interface NearestInTime<T> {
  /** Takes the one nearest to a time, no further than `within`; the oldest where one of both has no time. */
  take(at: number | null, within: number): T | undefined
}

/** @param timeOf a thing's time in milliseconds; null where it has none */
export function nearestInTime<T>(things: T[], timeOf: (thing: T) => number | null): NearestInTime<T> {
  const timeless = things.filter(one => timeOf(one) === null).reverse()
  const timed = things
    .flatMap(thing => {
      const at = timeOf(thing)
      return at === null ? [] : [{ thing, at }]
    })
    .sort((a, b) => a.at - b.at)
  // What was taken points to its neighbour, so that going past many that were taken is one step.
  const before = timed.map((_, index) => index)
  const after = timed.map((_, index) => index)
  const free = (pointers: number[], from: number): number => {
    let at = from
    while (pointers[at] !== undefined && pointers[at] !== at) at = pointers[at] as number
    for (let next = from; next !== at; ) {
      const following = pointers[next] as number
      pointers[next] = at
      next = following
    }
    return at
  }
  const takeTimed = (index: number): T => {
    before[index] = index - 1
    after[index] = index + 1
    return (timed[index] as { thing: T }).thing
  }
  return {
    take(at, within) {
      if (timeless.length > 0) return timeless.pop()
      const start = at === null ? 0 : firstFrom(timed, at)
      const later = free(after, start)
      const earlier = free(before, start - 1)
      const distance = (index: number) => {
        const one = timed[index]
        return one === undefined ? Number.POSITIVE_INFINITY : at === null ? 0 : Math.abs(one.at - at)
      }
      const nearest = distance(earlier) <= distance(later) ? earlier : later
      return distance(nearest) < within ? takeTimed(nearest) : undefined
    },
  }
}

/** The first that is not before a time. */
function firstFrom(timed: { at: number }[], at: number): number {
  let low = 0
  let high = timed.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((timed[middle] as { at: number }).at < at) low = middle + 1
    else high = middle
  }
  return low
}
