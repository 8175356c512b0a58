import type { Extract } from '../extract/extract.ts'
import type { SendItem } from './item.ts'

/**
 * A copied transcript holds the rows of its original: what they sent was sent once. Where nothing tells which of two is
 * the copy, both may be the sender.
 */
export function originalSends(sends: SendItem[], extracts: Extract[]): SendItem[] {
  const copies = new Set(
    extracts.filter(({ whole }) => whole.derivedFrom.length > 0).map(({ whole }) => whole.file),
  )
  const isCopy = ({ place }: SendItem) => copies.has(place.file)
  const originals = new Map<string, SendItem[]>()
  for (const send of sends.toSorted((a, b) => Number(isCopy(a)) - Number(isCopy(b)))) {
    const key = `${send.msgId}\n${send.place.row}`
    const same = originals.get(key)
    if (same === undefined) originals.set(key, [send])
    else if (!isCopy(send) && same.every(({ session }) => session !== send.session)) same.push(send)
  }
  return [...originals.values()].flat()
}
