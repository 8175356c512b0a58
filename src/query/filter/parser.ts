import { nearest } from '../../problem/nearest.ts'
import { problemAt, quoted } from '../place-problem.ts'
import { type Token, tokenize } from './tokens.ts'
import type { Comparison, FilterNode, Name, Value } from './tree.ts'

/**
 * Far above what anybody writes. Each level can hold an `or` of `and`s, 8 + 8 deep once balanced with as many values
 * as a filter may have, and SQLite takes an expression 1,000 deep.
 */
const DEEPEST = 50

const KEYWORDS = [
  'and',
  'or',
  'not',
  'like',
  'escape',
  'in',
  'is',
  'null',
  'between',
  'match',
  'true',
  'false',
]
const WORD_OPERATORS = ['like', 'in', 'is', 'between', 'match', 'not']
const OPERATORS: Record<string, Comparison> = {
  '=': '=',
  '==': '=',
  '!=': '!=',
  '<>': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
}
const OPERATOR_LIST = '= != < <= > >= like in (…) between … and … is null, is not null, match'

/**
 * Reads a filter into a frozen tree. Keywords may stand in any letter case; `not` binds closer than `and`, `and`
 * closer than `or`. Throws a problem of kind `filter` that points at what does not fit.
 */
export function parseFilter(filter: string): FilterNode {
  const parser = new Parser(filter)
  return parser.whole()
}

class Parser {
  readonly #filter: string
  readonly #tokens: readonly Token[]
  #at = 0
  #depth = 0

  constructor(filter: string) {
    this.#filter = filter
    this.#tokens = tokenize(filter)
  }

  whole(): FilterNode {
    if (this.#next().kind === 'end') {
      throw problemAt(
        'filter',
        'empty filter',
        this.#filter,
        0,
        "write a condition such as kind = 'message', or leave the filter out",
      )
    }
    const node = this.#anyOf()
    const rest = this.#next()
    if (rest.kind === 'end') return node
    const isClosing = rest.kind === 'symbol' && rest.text === ')'
    throw this.#unexpected(rest, isClosing ? 'no parenthesis is open here' : 'join conditions with and, or')
  }

  #anyOf(): FilterNode {
    return this.#joined('or', () => this.#joined('and', () => this.#condition()))
  }

  #joined(kind: 'and' | 'or', readTerm: () => FilterNode): FilterNode {
    const first = readTerm()
    const terms = [first]
    while (this.#takeWord(kind)) terms.push(readTerm())
    if (terms.length === 1) return first
    return Object.freeze({ kind, terms: Object.freeze(terms), start: first.start, end: this.#end() })
  }

  #condition(): FilterNode {
    const token = this.#next()
    if (this.#takeWord('not')) {
      const term = this.#deeper(token, () => this.#condition())
      return Object.freeze({ kind: 'not', term, start: token.start, end: term.end })
    }
    if (this.#takeSymbol('(')) {
      const node = this.#deeper(token, () => this.#anyOf())
      if (this.#takeSymbol(')')) return node
      throw this.#unexpected(this.#next(), 'close the parenthesis with ), or join conditions with and, or')
    }
    return this.#test(this.#column())
  }

  #deeper(token: Token, read: () => FilterNode): FilterNode {
    this.#depth += 1
    if (this.#depth > DEEPEST) {
      throw problemAt(
        'filter',
        `nested more than ${DEEPEST} deep`,
        this.#filter,
        token.start,
        'leave out parentheses and double not',
      )
    }
    const node = read()
    this.#depth -= 1
    return node
  }

  #column(): Name {
    const token = this.#next()
    const isName = token.kind === 'word' && !KEYWORDS.includes(token.text.toLowerCase())
    if (!isName) {
      const isValue = token.kind === 'string' || token.kind === 'number' || token.kind === 'bare-time'
      const fits = isValue
        ? 'the column stands on the left, the value on the right'
        : "a condition begins with a column: kind = 'message'"
      throw this.#unexpected(token, fits)
    }
    this.#at += 1
    return Object.freeze({ text: token.text, start: token.start, end: token.end })
  }

  #test(column: Name): FilterNode {
    const token = this.#next()
    if (token.kind === 'symbol') {
      const operator = OPERATORS[token.text]
      if (operator !== undefined) {
        this.#at += 1
        const value = this.#value()
        return Object.freeze({
          kind: 'compare',
          column,
          operator,
          value,
          start: column.start,
          end: value.end,
        })
      }
      if (token.text === '(') throw this.#unexpected(token, 'there are no functions in filters')
    }
    if (this.#takeWord('is')) return this.#isNull(column)
    if (this.#takeWord('not')) {
      const term = this.#wordTest(column)
      if (term === null) throw this.#unexpected(this.#next(), 'like, in, between or match follows not')
      return Object.freeze({ kind: 'not', term, start: term.start, end: term.end })
    }
    return this.#wordTest(column) ?? this.#flag(column)
  }

  #isNull(column: Name): FilterNode {
    const isNegated = this.#takeWord('not')
    if (!this.#takeWord('null'))
      throw this.#unexpected(this.#next(), 'write is null or is not null; compare values with =')
    return Object.freeze({ kind: 'is-null', column, isNegated, start: column.start, end: this.#end() })
  }

  /** `like`, `in`, `between` or `match` and what follows; null where none of them stands here. */
  #wordTest(column: Name): FilterNode | null {
    const start = column.start
    if (this.#takeWord('like')) {
      const pattern = this.#value()
      const escapedBy = this.#takeWord('escape') ? this.#value() : null
      return Object.freeze({ kind: 'like', column, pattern, escapedBy, start, end: this.#end() })
    }
    if (this.#takeWord('in')) {
      const values = Object.freeze(this.#list())
      return Object.freeze({ kind: 'in', column, values, start, end: this.#end() })
    }
    if (this.#takeWord('between')) {
      const low = this.#value()
      if (!this.#takeWord('and')) throw this.#unexpected(this.#next(), 'write between … and …')
      const high = this.#value()
      return Object.freeze({ kind: 'between', column, low, high, start, end: high.end })
    }
    if (this.#takeWord('match')) {
      const query = this.#value()
      return Object.freeze({ kind: 'match', column, query, start, end: query.end })
    }
    return null
  }

  #flag(column: Name): FilterNode {
    const next = this.#next()
    const isDone =
      next.kind === 'end' ||
      (next.kind === 'symbol' && next.text === ')') ||
      (next.kind === 'word' && ['and', 'or'].includes(next.text.toLowerCase()))
    if (isDone) return Object.freeze({ kind: 'flag', column, start: column.start, end: column.end })
    const near = next.kind === 'word' ? nearest(next.text, WORD_OPERATORS) : null
    throw this.#unexpected(
      next,
      `${near === null ? '' : `did you mean ${near}? `}after a column: ${OPERATOR_LIST}`,
    )
  }

  #list(): Value[] {
    if (!this.#takeSymbol('('))
      throw this.#unexpected(this.#next(), "a list stands in parentheses: in ('a', 'b')")
    const values = [this.#value()]
    while (this.#takeSymbol(',')) values.push(this.#value())
    if (!this.#takeSymbol(')')) throw this.#unexpected(this.#next(), 'a list goes on with , or ends with )')
    return values
  }

  #value(): Value {
    const token = this.#next()
    const { start, end } = token
    this.#at += 1
    if (token.kind === 'string') return Object.freeze({ kind: 'string', text: token.text, start, end })
    if (token.kind === 'number') return Object.freeze({ kind: 'number', value: token.value, start, end })
    if (token.kind === 'bare-time') return Object.freeze({ kind: 'word', text: token.text, start, end })
    const literals = ['true', 'false', 'null']
    const isWord =
      token.kind === 'word' &&
      (literals.includes(token.text.toLowerCase()) || !KEYWORDS.includes(token.text.toLowerCase()))
    if (isWord) return Object.freeze({ kind: 'word', text: token.text, start, end })
    throw this.#unexpected(
      token,
      'a value belongs here: a text in single quotes, a number, true, false or a time',
    )
  }

  #next(): Token {
    return this.#tokens[this.#at] as Token
  }

  /** Where the last piece that was read ends. */
  #end(): number {
    return (this.#tokens[this.#at - 1] as Token).end
  }

  #takeWord(word: string): boolean {
    const token = this.#next()
    const isTaken = token.kind === 'word' && token.text.toLowerCase() === word
    if (isTaken) this.#at += 1
    return isTaken
  }

  #takeSymbol(symbol: string): boolean {
    const token = this.#next()
    const isTaken = token.kind === 'symbol' && token.text === symbol
    if (isTaken) this.#at += 1
    return isTaken
  }

  #unexpected(token: Token, fits: string) {
    const what =
      token.kind === 'end'
        ? 'the filter ends too early'
        : `unexpected ${quoted(this.#filter.slice(token.start, token.end))}`
    return problemAt('filter', what, this.#filter, token.start, fits)
  }
}
