import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkEntry, type Entry, unknownFields } from '../../src/record/entry.ts'
import { wholeEntries } from '../support/entries.ts'
import type { Fields } from '../support/record-builder.ts'
import { reasonBySchema, unknownBySchema } from './support/entry-schema.ts'

const digest = {
  textLength: 5,
  textSha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
}
const { text: _sent, ...sentWithout } = wholeEntries.sent
const { text: _received, ...receivedWithout } = wholeEntries.received
const whole: Fields[] = [
  ...Object.values(wholeEntries),
  { ...sentWithout, ...digest },
  { ...receivedWithout, ...digest, msgId: 'm' },
]

/** What every field of every kind holds somewhere, so that a mutation puts right values into wrong fields too. */
const fieldNames = [...new Set([...whole.flatMap(Object.keys), 'later', 'constructor', '__proto__'])]
const wholeValues = whole.flatMap(Object.values)

const value = fc.oneof(
  fc.constantFrom<unknown>(...wholeValues, 'message', 'queued', 'A'.repeat(64), '2026-02-30T10:00:00.000Z'),
  fc.constantFrom<unknown>(
    null,
    undefined,
    true,
    '',
    0,
    1,
    -1,
    0.5,
    -0.5,
    2 ** 53,
    -(2 ** 60),
    Infinity,
    NaN,
  ),
  fc.constantFrom<unknown>({}, [], { as: null }, { as: 5, sessionId: 5 }, { before: '' }, { after: 5 }),
  fc.jsonValue({ maxDepth: 2 }),
)

type Change = (entry: Fields) => Fields

const outer: fc.Arbitrary<Change> = fc
  .record({ name: fc.constantFrom(...fieldNames), value, isLeftOut: fc.boolean() })
  .map(
    ({ name, value, isLeftOut }) =>
      entry =>
        changed(entry, name, value, isLeftOut),
  )

const inner: fc.Arbitrary<Change> = fc
  .record({
    field: fc.constantFrom('peer', 'envelope'),
    name: fc.constantFrom('as', 'sessionId', 'before', 'after', 'later'),
    value,
    isLeftOut: fc.boolean(),
  })
  .map(({ field, name, value, isLeftOut }) => entry => {
    const { [field]: object } = entry
    if (typeof object !== 'object' || object === null || Array.isArray(object)) return entry
    return { ...entry, [field]: changed(object as Fields, name, value, isLeftOut) }
  })

function changed(fields: Fields, name: string, value: unknown, isLeftOut: boolean): Fields {
  const { [name]: _, ...rest } = fields
  return isLeftOut ? rest : { ...rest, [name]: value }
}

const mutated = fc
  .record({ entry: fc.constantFrom(...whole), changes: fc.array(fc.oneof(outer, inner), { maxLength: 4 }) })
  .map(({ entry, changes }) => changes.reduce((one, change) => change(one), entry))

function reasonOf(entry: unknown): string | null {
  const checked = checkEntry(entry)
  return 'reason' in checked ? checked.reason : null
}

test('the check says of every entry what a zod schema of the same fields says, and knows the same fields', () => {
  const reasons = new Set<string>()
  fc.assert(
    fc.property(mutated, entry => {
      const reason = reasonOf(entry)
      expect(reason).toBe(reasonBySchema(entry))
      if (reason === null) expect(unknownFields(entry as Entry)).toEqual(unknownBySchema(entry))
      if (reason !== null) reasons.add(reason)
    }),
    { numRuns: 20_000 },
  )
  // There are 56: mutations that reach few faults would compare little.
  expect(reasons.size).toBeGreaterThan(50)
})

test('and so it does of any value at all', () => {
  fc.assert(
    fc.property(value, one => {
      expect(reasonOf(one)).toBe(reasonBySchema(one))
    }),
  )
})
