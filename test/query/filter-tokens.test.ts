import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Problem } from '../../src/problem/problem.ts'
import { parseFilter } from '../../src/query/filter/parser.ts'
import { inSingleQuotes, placeInString, tokenize } from '../../src/query/filter/tokens.ts'

const word = (text: string) => ({ kind: 'word', text })
const string = (text: string) => ({ kind: 'string', text })
const number = (value: number) => ({ kind: 'number', value })
const time = (text: string) => ({ kind: 'bare-time', text })
const symbol = (text: string) => ({ kind: 'symbol', text })

function problemOf(filter: string): Problem {
  try {
    parseFilter(filter)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error(`no problem with ${filter}`)
}

const fitsOf = (filter: string) => problemOf(filter).hint?.split('\n').at(-1)

describe('the pieces of a filter', () => {
  it.each<[string, object[]]>([
    ['', []],
    [' \t\n\u00a0', []],
    ['session_id', [word('session_id')]],
    ['_a1', [word('_a1')]],
    ['größe', [word('größe')]],
    ['e\u0301tat', [word('e\u0301tat')]],
    ['a=b', [word('a'), symbol('='), word('b')]],
    ['<> <= >= == != = < > ( ) ,', '<> <= >= == != = < > ( ) ,'.split(' ').map(symbol)],
    ['a<=1', [word('a'), symbol('<='), number(1)]],
    ["''", [string('')]],
    ["''''", [string("'")]],
    ["'it''s ''so'''", [string("it's 'so'")]],
    ["'a''b''c'x", [string("a'b'c"), word('x')]],
    ["'a' 'b'", [string('a'), string('b')]],
    ['0 12 -3 1.5 -0.25 1e3 2E-1 1.5e+2', [0, 12, -3, 1.5, -0.25, 1000, 0.2, 150].map(number)],
    ['2h -2h 1.5h 1. 1x', ['2h', '-2h', '1.5h', '1.', '1x'].map(time)],
    [
      '2026-11-01 2026-11-01T10:00:00Z 10:00+01:00',
      ['2026-11-01', '2026-11-01T10:00:00Z', '10:00+01:00'].map(time),
    ],
    ['1,2)', [number(1), symbol(','), number(2), symbol(')')]],
  ])('of %j', (filter, pieces) => {
    const tokens = tokenize(filter)
    expect(tokens.at(-1)).toEqual({ kind: 'end', start: filter.length, end: filter.length })
    expect(tokens.slice(0, -1)).toMatchObject(pieces)
    expect(tokens).toHaveLength(pieces.length + 1)
  })

  it('each is where it says, and nothing but space is between them', () => {
    const filter = "  a >= 'it''s' and (b in(1,2h)) "
    let at = 0
    for (const { start, end } of tokenize(filter)) {
      expect(filter.slice(at, start).trim()).toBe('')
      expect(start).toBeGreaterThanOrEqual(at)
      at = end
    }
    expect(at).toBe(filter.length)
  })

  it('the place of a character of a text is found through the quotes that are written twice', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', "'", ' '), minLength: 1 }),
        fc.nat(30),
        (text, index) => {
          const at = index % text.length
          const filter = `x = ${inSingleQuotes(text)}`
          const token = tokenize(filter)[2] as { start: number }
          const place = placeInString(token, text, at)
          // The place is the first character of what stands for it: `'` stands as two.
          const written = text[at] === "'" ? "''" : text[at]
          expect(filter.startsWith(written as string, place)).toBe(true)
          expect(place).toBe(token.start + 1 + inSingleQuotes(text.slice(0, at)).length - 2)
        },
      ),
    )
  })
})

describe('what does not fit says what would', () => {
  it.each([
    ['"', '"'],
    ['`', '`'],
    ['“', '”'],
    ['‘', '’'],
    ['«', '»'],
  ])('quotes of another kind: %s %s', (open, close) => {
    const fits = fitsOf(`side = ${open}it's${close} and x`)
    expect(fits).toBe("a text stands in single quotes: 'it''s'; a column without quotes")
    expect(fitsOf(`side = ${open}open`)).toContain("single quotes: 'open';")
    expect(fitsOf(`side = ${open}${'x'.repeat(60)}${close}`)).toContain(`'${'x'.repeat(60)}'`)
    expect(fitsOf(`side = ${open}${'x'.repeat(61)}${close}`)).toBe(
      'a text stands in single quotes; a column without quotes',
    )
  })

  it.each([
    ['a.b = 1', 'without the name of their relation'],
    ['a & b', 'write and'],
    ['a | b', 'write or'],
    ['!a', 'write not, or !='],
    ['a like %x', 'a pattern stands in quotes'],
    ['a like *', 'a pattern stands in quotes'],
    ['a ; b', 'a filter is made of columns'],
    ['a (b)', 'there are no functions in filters'],
    ["a = 'x", "a quote inside a text is written twice: ''"],
  ])('%s: %s', (filter, fits) => expect(fitsOf(filter)).toContain(fits))

  it('a number that no computer holds', () => {
    expect(problemOf('a = 1e999').message).toBe('a number that is too large at character 5')
    expect(problemOf('a = -1e999').message).toBe('a number that is too large at character 5')
  })

  const keywords = 'and or not like escape in is null between match true false'.split(' ')
  it.each(keywords.filter(one => one !== 'not'))('%s is no name of a column', keyword => {
    expect(fitsOf(`${keyword} = 1`)).toBe("a condition begins with a column: kind = 'message'")
    expect(fitsOf(`${keyword.toUpperCase()} = 1`)).toBe("a condition begins with a column: kind = 'message'")
  })

  it.each(keywords)('%s as a value: only true, false and null are values', keyword => {
    for (const written of [keyword, keyword.toUpperCase()]) {
      if (['true', 'false', 'null'].includes(keyword))
        expect(parseFilter(`a = ${written}`)).toMatchObject({ value: { kind: 'word', text: written } })
      else expect(fitsOf(`a = ${written}`)).toContain('a value belongs here')
    }
  })

  it.each(['a and b', 'a or b', 'a AND b', 'a OR b', '(a)', 'a'])('%s: a column may stand alone', filter => {
    expect(() => parseFilter(filter)).not.toThrow()
  })

  it('fifty levels are read, one more is not', () => {
    const nested = (depth: number) => `${'('.repeat(depth)}a${')'.repeat(depth)}`
    expect(() => parseFilter(nested(50))).not.toThrow()
    expect(() => parseFilter(nested(51))).toThrow('nested more than 50 deep at character 51')
    expect(() => parseFilter(Array(60).fill(nested(50)).join(' and '))).not.toThrow()
    expect(() => parseFilter(`${'not '.repeat(50)}a`)).not.toThrow()
    expect(() => parseFilter(`${'not '.repeat(51)}a`)).toThrow('nested')
  })
})

describe('the tree', () => {
  it('and binds closer than or, not closer than both', () => {
    const shape = (filter: string): unknown => {
      const walk = (node: ReturnType<typeof parseFilter>): unknown => {
        if (node.kind === 'and' || node.kind === 'or') return [node.kind, ...node.terms.map(walk)]
        if (node.kind === 'not') return ['not', walk(node.term)]
        return node.kind === 'flag' ? node.column.text : node.kind
      }
      return walk(parseFilter(filter))
    }
    expect(shape('a or b and c or d')).toEqual(['or', 'a', ['and', 'b', 'c'], 'd'])
    expect(shape('not a and b')).toEqual(['and', ['not', 'a'], 'b'])
    expect(shape('not (a or b) and c')).toEqual(['and', ['not', ['or', 'a', 'b']], 'c'])
    expect(shape('a and b and c')).toEqual(['and', 'a', 'b', 'c'])
  })

  it.each([
    [
      "a not like 'x' escape '!'",
      { kind: 'not', start: 0, end: 25, term: { kind: 'like', start: 0, end: 25 } },
    ],
    ['a is not null', { kind: 'is-null', isNegated: true, start: 0, end: 13 }],
    ['a is null', { kind: 'is-null', isNegated: false, start: 0, end: 9 }],
    ['a between 1 and 2', { kind: 'between', low: { value: 1 }, high: { value: 2 }, start: 0, end: 17 }],
    ['a not in (1, 2)', { kind: 'not', term: { kind: 'in', values: [{ value: 1 }, { value: 2 }], end: 15 } }],
    ["a match 'x'", { kind: 'match', query: { text: 'x' }, start: 0, end: 11 }],
    ['a <> 1', { kind: 'compare', operator: '!=', column: { text: 'a' }, value: { value: 1 }, end: 6 }],
    ...['<', '<=', '>', '>='].map((operator): [string, object] => [`a ${operator} 1`, { operator }]),
    ['a == 2h', { kind: 'compare', operator: '=', value: { kind: 'word', text: '2h' } }],
  ])('%s', (filter, tree) => expect(parseFilter(filter)).toMatchObject(tree))
})

it('each part ends where it ends, whatever follows', () => {
  const terms = [
    "a like 'x'",
    "a like 'x' escape '!'",
    'a in (1, 2)',
    'a is not null',
    'a between 1 and 2',
    "a match 'x'",
    'a = 1',
    'a',
  ]
  for (const term of terms) {
    expect(parseFilter(`${term}   and b`), term).toMatchObject({
      terms: [{ start: 0, end: term.length }, {}],
    })
    expect(parseFilter(`(b or ${term}  ) and c`), term).toMatchObject({
      terms: [{ kind: 'or', start: 1, end: term.length + 6 }, { kind: 'flag' }],
    })
  }
})
