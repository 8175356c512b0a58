import type { Measured } from './measured.ts'

export interface Pairs {
  both: { older: Measured; newer: Measured }[]
  onlyOld: Measured[]
  onlyNew: Measured[]
}

/**
 * Which message of one result is which of the other: by id; else by the same words in the same place; else, where one
 * of each is left in a place, those two, whose words changed then.
 */
export function pairMessages(older: Map<string, Measured>, newer: Map<string, Measured>): Pairs {
  const both: Pairs['both'] = []
  const oldLeft = new Map(older)
  const newLeft = new Map(newer)
  const pair = (one: Measured, other: Measured) => {
    both.push({ older: one, newer: other })
    oldLeft.delete(one.id)
    newLeft.delete(other.id)
  }
  for (const one of older.values()) {
    const other = newer.get(one.id)
    if (other) pair(one, other)
  }
  for (const keysOf of [sameWords, samePlace]) {
    const byKey = indexOf(newLeft.values(), keysOf)
    const rivals = indexOf(oldLeft.values(), keysOf)
    for (const one of [...oldLeft.values()]) {
      const found = keysOf(one)
        .filter(key => keysOf === sameWords || rivals.get(key)?.length === 1)
        .map(key => (byKey.get(key) ?? []).filter(other => newLeft.has(other.id)))
        .find(others => others.length > 0 && (keysOf === sameWords || others.length === 1))
      if (found) pair(one, found[0] as Measured)
    }
  }
  return { both, onlyOld: [...oldLeft.values()], onlyNew: [...newLeft.values()] }
}

/** The same words in the same place. */
export function sameWords({ places, sha256 }: Measured): string[] {
  return places.map(place => `${place}:${sha256}`)
}

function samePlace({ places }: Measured): readonly string[] {
  return places
}

function indexOf(
  messages: Iterable<Measured>,
  keysOf: (message: Measured) => readonly string[],
): Map<string, Measured[]> {
  const found = new Map<string, Measured[]>()
  for (const message of messages)
    for (const key of keysOf(message)) {
      const others = found.get(key)
      if (others) others.push(message)
      else found.set(key, [message])
    }
  return found
}
