/**
 * The cycles among sessions that have at most one parent each: every one once, beginning at its smallest id and
 * following the parents. Each session is visited once, so it terminates on any input.
 */
export function findCycles(parents: ReadonlyMap<string, string | null>): string[][] {
  const cycles: string[][] = []
  const done = new Set<string>()
  for (const start of parents.keys()) {
    const path = new Map<string, number>()
    let at: string | null = start
    while (at !== null && !done.has(at) && !path.has(at)) {
      path.set(at, path.size)
      at = parents.get(at) ?? null
    }
    if (at !== null && path.has(at)) cycles.push(fromSmallest([...path.keys()].slice(path.get(at))))
    for (const one of path.keys()) done.add(one)
  }
  return cycles.sort((a, b) => ((a[0] as string) < (b[0] as string) ? -1 : 1))
}

function fromSmallest(cycle: string[]): string[] {
  const smallest = cycle.reduce((least, id, index) => (id < (cycle[least] as string) ? index : least), 0)
  return [...cycle.slice(smallest), ...cycle.slice(0, smallest)]
}
