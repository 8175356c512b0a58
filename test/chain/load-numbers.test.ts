import { describe, expect, it } from 'vitest'
import { chainTree } from '../../src/chain/chain-tree.ts'
import { compareEvidence, type Evidence } from '../../src/chain/evidence.ts'
import type { LoadNumbers } from '../../src/chain/load-numbers.ts'
import { type SessionFacts, sessionFacts } from '../../src/chain/session-facts.ts'
import { at, fileName, startFields } from '../support/record-builder.ts'

const { cwd } = startFields

function named(second: number, number: number, load = '1a2b3c4d') {
  return { name: fileName(at(second), `${load}-${String(number).padStart(6, '0')}`), at: at(second), cwd }
}
const start = (second: number, number: number, load?: string): Evidence => {
  return { ...named(second, number, load), kind: 'start', ...startFields, cause: 'startup' }
}
const received = (second: number, number: number, load?: string): Evidence => {
  return { ...named(second, number, load), kind: 'message', side: 'received' }
}
const sent = (second: number, number: number, peer?: string, isQueued = true): Evidence => {
  return { ...named(second, number), kind: 'message', side: 'sent', isQueued, peer: { sessionId: peer } }
}
const chain = (second: number, number: number, load?: string): Evidence => {
  return { ...named(second, number, load), kind: 'chain', parent: 'top', part: 'p' }
}

function factsOf(...evidence: Evidence[]): SessionFacts {
  return sessionFacts('lead', evidence.sort(compareEvidence)) as SessionFacts
}
function loadOf(...evidence: Evidence[]): LoadNumbers {
  return factsOf(...evidence).loads?.[0] as LoadNumbers
}
const markOf = (...evidence: Evidence[]) =>
  chainTree([factsOf(...evidence)]).chains[0]?.children[0]?.sentParentSinceJoin

describe('ruling 8: the numbers of a load', () => {
  it('that are missing stand as ranges, in their order, with the entry that follows and a time by which they were given', () => {
    const [four, nine] = [received(4, 4), received(9, 9)]
    expect(loadOf(start(1, 1), four, nine)).toEqual({
      load: '1a2b3c4d',
      highest: 9,
      ordered: 9,
      sentAhead: [],
      missing: [
        { from: 2, to: 3, before: four.name, givenBy: at(4) },
        { from: 5, to: 8, before: nine.name, givenBy: at(9) },
      ],
    })
  })

  it('an entry in the middle of a range leaves what is below and what is above it', () => {
    const [five, nine] = [received(5, 5), sent(3, 9, 'x')]
    expect(loadOf(start(1, 1), nine, five).missing).toEqual([
      { from: 2, to: 4, before: five.name, givenBy: at(5) },
      { from: 6, to: 8, before: nine.name, givenBy: null },
    ])
  })

  it('at either end of a range it leaves the rest', () => {
    const [two, five, six] = [sent(3, 2, 'x'), sent(3.5, 5, 'x'), received(2, 6)]
    expect(loadOf(start(1, 1), two, five, six).missing).toEqual([
      { from: 3, to: 4, before: five.name, givenBy: at(2) },
    ])
  })

  it('before messages alone, the next other entry tells by when they were given', () => {
    const message = sent(3, 4, 'x')
    expect(loadOf(start(1, 1), message).missing).toMatchObject([{ from: 2, to: 3, givenBy: null }])
    expect(loadOf(start(1, 1), message, received(7, 5)).missing).toEqual([
      { from: 2, to: 3, before: message.name, givenBy: at(7) },
    ])
    expect(loadOf(start(1, 1), message, received(7, 5), received(8, 6)).missing).toMatchObject([
      { givenBy: at(7) },
    ])
    // A lower number tells nothing of them.
    expect(loadOf(start(1, 1), sent(2, 3, 'x'), sent(3, 6, 'x'), received(7, 2)).missing).toMatchObject([
      { from: 4, to: 5, givenBy: null },
    ])
  })

  it('a number that two files bear is one number', () => {
    expect(loadOf(start(1, 1), received(2, 2), received(3, 2))).toMatchObject({ highest: 2, missing: [] })
    expect(markOf(start(1, 1), chain(2, 2), received(3, 3), received(4, 3))).toBe('no')
  })

  it('messages above all other entries are kept by their peers, the highest number of each', () => {
    const { ordered, sentAhead } = loadOf(
      start(1, 1),
      ...[sent(2, 2, 'x'), sent(3, 4, 'y'), sent(4, 3), sent(5, 6, 'x'), sent(6, 5, 'y', false)],
    )
    expect(ordered).toBe(1)
    expect(sentAhead.toSorted((a, b) => a.number - b.number)).toEqual([
      { to: null, number: 3 },
      { to: 'y', number: 4 },
      { to: 'x', number: 6 },
    ])
    expect(loadOf(start(1, 1), sent(2, 2, 'x'), sent(3, 4, 'y'), received(9, 3)).sentAhead).toEqual([
      { to: 'y', number: 4 },
    ])
  })

  it('of very many peers the rest may have been anybody', () => {
    const messages = Array.from({ length: 60 }, (_, i) => sent(2 + i / 1000, 3 + i, `peer-${i}`))
    const { sentAhead } = loadOf(start(1, 1), received(1.5, 2), ...messages)
    expect(sentAhead).toHaveLength(51)
    expect(sentAhead.find(({ to }) => to === null)).toEqual({ to: null, number: 62 })
    expect(markOf(start(1, 1), ...messages, chain(9, 2))).toBe('unknown')
    expect(markOf(start(1, 1), ...messages.slice(0, 50), chain(9, 2))).toBe('no')
  })

  it('of more loads than are kept any may be missing', () => {
    const starts = (count: number) =>
      Array.from({ length: count }, (_, i) => start(i, 1, i.toString(16).padStart(8, '0')))
    expect(factsOf(...starts(1_000)).loads).toHaveLength(1_000)
    expect(factsOf(...starts(1_001)).loads).toBeNull()
    expect(markOf(...starts(999), chain(5_000, 2, '00000000'))).toBe('no')
    expect(markOf(...starts(1_001), chain(5_000, 2, '00000000'))).toBe('unknown')
  })

  it('in another load than the join’s, the time by which they were given tells whether they are older than it', () => {
    const other = (second: number) => [start(0, 1, '5e6f7a8b'), received(second, 3, '5e6f7a8b')]
    const own = [start(1, 1), chain(5, 2)]
    expect(markOf(...own, ...other(4.999))).toBe('no')
    expect(markOf(...own, ...other(5))).toBe('unknown')
    expect(markOf(...own, ...other(6))).toBe('unknown')
  })
})
