import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deepJson } from '../../src/cli/output/deep-json.ts'
import { safeJson } from '../../src/cli/output/safe-json.ts'

const anyValue = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom(undefined, null, '', 0, -0, '\ud800', '"\\\n'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string({ maxLength: 3 }), tie('value'), { maxKeys: 4 }),
  ),
})).value

describe('JSON of what is nested deeper than the call stack', () => {
  it('is that of JSON.stringify', () => {
    fc.assert(
      fc.property(anyValue, value => {
        expect(deepJson(value)).toBe(JSON.stringify(value) ?? 'null')
      }),
    )
  })

  it.each([
    ['arrays', (inner: unknown) => [inner, '\u202e'], '[', ',"\\u202e"]'],
    ['objects', (inner: unknown) => ({ a: inner }), '{"a":', '}'],
  ])('%s, a hundred thousand deep, hidden characters escaped as ever', (_, wrap, before, after) => {
    let value: unknown = 1
    for (let depth = 0; depth < 100_000; depth++) value = wrap(value)
    const json = safeJson(value)
    expect(json.length).toBe(1 + 100_000 * (before.length + after.length))
    expect(json.startsWith(before.repeat(3)) && json.endsWith(after.repeat(3))).toBe(true)
    expect(json.includes(`${before}1${after}`)).toBe(true)
  })

  it('what JSON cannot hold is still an error', () => {
    const loop: Record<string, unknown> = {}
    loop.loop = loop
    expect(() => safeJson(loop)).toThrow(TypeError)
    expect(() => safeJson(1n)).toThrow(TypeError)
  })
})
