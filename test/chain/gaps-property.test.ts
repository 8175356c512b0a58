import { rmSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { chainTree } from '../../src/chain/chain-tree.ts'
import { compareEvidence, type Evidence } from '../../src/chain/evidence.ts'
import { addEvidence, type SessionFacts, sessionFacts } from '../../src/chain/session-facts.ts'
import { joinNotice } from '../../src/record/join-notice.ts'
import { placeIn } from '../support/coord.ts'
import { at, fileName } from '../support/record-builder.ts'
import { inTempFolder } from '../support/temp-folder.ts'
import { nodesOf } from '../support/tree.ts'
import { treeInProcess } from '../support/tree-in-process.ts'

const cwd = '/'
const PARENTS = ['top', 'second']

/** What a session does, one after the other; `wait` is how long since the last, `late` how long a message waited for its answer. */
const step = fc.record({
  does: fc.constantFrom(
    ...(['load', 'join', 'receive', 'send', 'send', 'send', 'send', 'refused', 'notice'] as const),
  ),
  to: fc.constantFrom('top', 'second', 'other', undefined),
  wait: fc.nat(2),
  late: fc.nat(3),
})
const steps = fc.array(step, { minLength: 1, maxLength: 10 })
type Step = typeof steps extends fc.Arbitrary<(infer T)[]> ? T : never

/** The whole record of a lead that did this, as the mod writes it: all loads begin with a start entry, the clock goes on. */
function recordOf(done: readonly Step[]): Evidence[] {
  const entries: Evidence[] = []
  const loads = ['5e6f7a8b', '1a2b3c4d', 'ffffffff', '00000000']
  let now = 0
  let part = 'part'
  let load = -1
  let number = 0
  let begun = 0
  const put = (time: number, entry: object) => {
    number += 1
    const sequence = `${loads[load % 4]}-${String(number).padStart(6, '0')}`
    entries.push({ name: fileName(at(time), sequence), at: at(time), cwd, ...entry } as Evidence)
  }
  const begin = () => {
    load += 1
    number = 0
    begun = now
    const cause = load === 0 ? 'startup' : 'resume'
    put(now, { kind: 'start', host: 'h', version: '1', inbound: 'accept', cause })
  }
  begin()
  for (const { does, to, wait, late } of done) {
    now += wait
    const sent = { kind: 'message', side: 'sent', isQueued: does !== 'refused', peer: { sessionId: to } }
    const time = Math.max(begun, now - late)
    if (does === 'load' && load < 3) begin()
    else if (does === 'join') {
      part = `part ${number}`
      put(now, { kind: 'chain', parent: PARENTS[late % 2], part })
    } else if (does === 'receive') put(now, { kind: 'message', side: 'received' })
    else if (does === 'notice') put(time, { ...sent, text: joinNotice({ sessionId: 'lead', part }) })
    else if (does !== 'load') put(time, { ...sent, text: 'report' })
  }
  return entries
}

function factsOf(entries: readonly Evidence[]): SessionFacts | null {
  return sessionFacts('lead', entries.toSorted(compareEvidence))
}

function markOf(entries: readonly Evidence[]) {
  const facts = factsOf(entries)
  const tops = PARENTS.map(id => sessionFacts(id, [{ kind: 'start', ...START }]) as SessionFacts)
  const { chains } = chainTree(facts ? [...tops, facts] : tops)
  return nodesOf(chains).find(({ sessionId }) => sessionId === 'lead')?.sentParentSinceJoin ?? null
}

const START = { name: 'a', at: at(0), cwd, host: 'h', version: '1', inbound: 'accept' }
const loadOf = ({ name }: Evidence) => name.slice(-20, -12)
/** Which of a record's entries are lost, by their place in it. */
const losses = fc.array(fc.nat(100), { minLength: 1, maxLength: 8 })

function without(entries: Evidence[], lost: number[], keep: (one: Evidence) => boolean): Evidence[] {
  const places = new Set(lost.map(place => place % entries.length))
  return entries.filter((one, place) => !places.has(place) || keep(one))
}

it('ruling 8: whatever is missing below the highest number of each load, "yes" never becomes "no"', () => {
  fc.assert(
    fc.property(steps, losses, (done, lost) => {
      const whole = recordOf(done)
      if (markOf(whole) !== 'yes') return
      const last = new Set(
        whole.filter((one, i) => !whole.slice(i + 1).some(next => loadOf(next) === loadOf(one))),
      )
      const left = without(whole, lost, one => last.has(one))
      expect(markOf(left), left.map(({ name }) => name).join(' ')).not.toBe('no')
    }),
    { numRuns: 20_000 },
  )
})

it('ruling 8: whatever an index has seen is missing, "yes" never becomes "no"', async () => {
  await fc.assert(
    fc.asyncProperty(steps, losses, async (done, lost) => {
      const whole = recordOf(done)
      fc.pre(markOf(whole) === 'yes')
      await inTempFolder(async folder => {
        const here = placeIn(folder)
        for (const top of PARENTS) here.record.start(top, at(0))
        const message = { outcome: 'queued', envelope: { before: '', after: '' } }
        for (const { name, ...entry } of whole) {
          const { peer, ...rest } = { peer: {}, ...entry }
          const isReceived = entry.kind === 'message' && entry.side === 'received'
          const fields = entry.kind === 'message' ? { peer: { as: 'x', ...peer }, text: 'x' } : {}
          here.record.entry(
            'lead',
            { sessionId: 'lead', ...fields, ...(isReceived ? message : {}), ...rest },
            name,
          )
        }
        const mark = async () =>
          nodesOf((await treeInProcess(here)).chains).find(({ sessionId }) => sessionId === 'lead')
            ?.sentParentSinceJoin
        expect(await mark()).toBe('yes')
        const left = without(whole, lost, () => false)
        for (const one of whole) if (!left.includes(one)) rmSync(here.record.path(`lead/${one.name}`))
        expect(await mark()).not.toBe('no')
      })
    }),
    { numRuns: 60 },
  )
})

it('facts are the same whether entries are added to them or folded together', () => {
  fc.assert(
    fc.property(steps, losses, (done, lost) => {
      const entries = without(recordOf(done), lost, () => false).toSorted(compareEvidence)
      let facts: SessionFacts | null = null
      for (const one of entries)
        facts = addEvidence('lead', facts && (JSON.parse(JSON.stringify(facts)) as SessionFacts), one)
      expect(facts).toEqual(factsOf(entries))
    }),
    { numRuns: 500 },
  )
})

it('the missing numbers of a load are those below its highest that no entry bears', () => {
  fc.assert(
    fc.property(steps, losses, (done, lost) => {
      const whole = recordOf(done)
      const left = without(whole, lost, () => false)
      const numbersOf = (entries: Evidence[], load: string) =>
        entries.filter(one => loadOf(one) === load).map(({ name }) => Number(name.slice(-11, -5)))
      for (const { load, highest, missing } of factsOf(left)?.loads ?? []) {
        const there = numbersOf(left, load)
        expect(highest).toBe(Math.max(...there))
        const all = numbersOf(whole, load).filter(number => number < highest && !there.includes(number))
        const ranges = missing.toSorted((a, b) => a.from - b.from)
        expect(
          ranges.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i)),
        ).toEqual(all.toSorted((a, b) => a - b))
        for (const { to, before } of ranges) expect(Number(before.slice(-11, -5))).toBe(to + 1)
      }
    }),
    { numRuns: 2_000 },
  )
})
