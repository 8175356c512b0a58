import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nearestInTime } from '../../../src/scan/merge/nearest-in-time.ts'

interface Thing {
  name: number
  at: number | null
}

/** The same by looking through everything each time. */
function byLooking(things: Thing[]) {
  const timeless = things.filter(({ at }) => at === null)
  const timed = things.filter(({ at }) => at !== null) as { name: number; at: number }[]
  const sorted = timed.map((one, nth) => ({ ...one, nth })).sort((a, b) => a.at - b.at || a.nth - b.nth)
  return (at: number | null, within: number) => {
    const first = timeless.shift()
    if (first) return first.name
    const distance = (one: { at: number }) => (at === null ? 0 : Math.abs(one.at - at))
    const earlier = at === null ? undefined : sorted.filter(one => one.at < at).at(-1)
    const later = at === null ? sorted[0] : sorted.find(one => one.at >= at)
    const nearest =
      earlier && (!later || distance(earlier) <= distance(later)) ? earlier : (later ?? undefined)
    if (nearest === undefined || distance(nearest) >= within) return undefined
    sorted.splice(sorted.indexOf(nearest), 1)
    return nearest.name
  }
}

describe('the nearest in time, each once', () => {
  it('is what looking through everything finds', () => {
    const time = fc.option(fc.nat({ max: 12 }), { freq: 8 })
    fc.assert(
      fc.property(
        fc.array(time, { maxLength: 12 }),
        fc.array(fc.tuple(time, fc.integer({ min: 1, max: 6 })), { maxLength: 16 }),
        (times, questions) => {
          const things = times.map((at, name) => ({ name, at }))
          const nearest = nearestInTime(things, ({ at }) => at)
          const looked = byLooking(things)
          for (const [at, within] of questions)
            expect(nearest.take(at, within)?.name).toBe(looked(at, within))
        },
      ),
      { numRuns: 500 },
    )
  })

  it.each([
    ['the earlier of two that are as near', [8, 12], 10, 0],
    ['the nearer one', [7, 12], 10, 1],
    ['one at the very time', [9, 10, 11], 10, 1],
    ['none that is as far as the bound', [5, 15], 10, undefined],
  ])('%s', (_, times, at, name) => {
    const things = times.map((one, nth) => ({ name: nth, at: one }))
    expect(nearestInTime(things, one => one.at).take(at, 5)?.name).toBe(name)
  })
})
