import { parseReference, type Reference } from './parse-template.ts'

export type Operand = { reference: Reference } | { value: string | number | boolean | null }

/** A `run_if` as a tree. */
export type Condition =
  | { any: Condition[] }
  | { all: Condition[] }
  | { not: Condition }
  | { left: Operand; compare?: { operator: '==' | '!='; right: Operand } }

export type ParsedCondition = { condition: Condition } | { mistake: string; at: number }

const TOKEN =
  /\s*(?:(\{\{[^}]*\}\})|('[^']*'|"[^"]*")|(==|!=)|(-?\d+(?:\.\d+)?)(?![\w.])|([A-Za-z]+)(?![\w.])|(\S))/gy

interface Token {
  kind: 'template' | 'text' | 'operator' | 'number' | 'word' | 'other'
  text: string
  at: number
}

/**
 * Reads a `run_if`: templates and literals, compared with `==` or `!=`, joined by `not`, `and`, `or` in that order of
 * strength. There is nothing else, so that a condition can do nothing.
 */
export function parseCondition(text: string): ParsedCondition {
  const tokens = tokensOf(text)
  let next = 0
  const peek = () => tokens[next]
  const fail = (): never => {
    const token = peek()
    throw new Unfit(
      token ? `run_if does not understand ${token.text}` : 'run_if ends too soon',
      token?.at ?? text.length,
    )
  }
  const isWord = (word: string) => peek()?.kind === 'word' && peek()?.text === word
  const list = (word: string, part: () => Condition): Condition[] => {
    const parts = [part()]
    while (isWord(word)) {
      next += 1
      parts.push(part())
    }
    return parts
  }
  const any = (): Condition => {
    const parts = list('or', all)
    return parts.length === 1 ? (parts[0] as Condition) : { any: parts }
  }
  const all = (): Condition => {
    const parts = list('and', not)
    return parts.length === 1 ? (parts[0] as Condition) : { all: parts }
  }
  const not = (): Condition => {
    let isNegated = false
    for (; isWord('not'); next += 1) isNegated = !isNegated
    const condition = comparison()
    return isNegated ? { not: condition } : condition
  }
  const comparison = (): Condition => {
    const left = operand()
    const token = peek()
    if (token?.kind !== 'operator') return { left }
    next += 1
    return { left, compare: { operator: token.text as '==' | '!=', right: operand() } }
  }
  const operand = (): Operand => {
    const token = peek() ?? fail()
    const found = operandOf(token)
    if (found === null) return fail()
    next += 1
    return found
  }
  try {
    const condition = any()
    if (next < tokens.length) fail()
    return { condition }
  } catch (error) {
    if (error instanceof Unfit) return { mistake: error.message, at: error.at }
    throw error
  }
}

class Unfit extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

function tokensOf(text: string): Token[] {
  const kinds = ['template', 'text', 'operator', 'number', 'word', 'other'] as const
  return [...text.matchAll(TOKEN)].map(found => {
    const index = found.slice(1).findIndex(part => part !== undefined)
    const token = found[index + 1] as string
    return {
      kind: kinds[index] as Token['kind'],
      text: token,
      at: (found.index as number) + found[0].length - token.length,
    }
  })
}

function operandOf({ kind, text }: Token): Operand | null {
  if (kind === 'template') {
    const reference = parseReference(text.slice(2, -2).trim())
    return reference === null ? null : { reference }
  }
  if (kind === 'text') return { value: text.slice(1, -1) }
  if (kind === 'number') return { value: Number(text) }
  if (kind === 'word' && Object.hasOwn(WORDS, text)) return { value: WORDS[text as keyof typeof WORDS] }
  return null
}

const WORDS = { true: true, false: false, null: null } as const

/** Every reference of a condition. */
export function referencesOf(condition: Condition): Reference[] {
  if ('any' in condition) return condition.any.flatMap(referencesOf)
  if ('all' in condition) return condition.all.flatMap(referencesOf)
  if ('not' in condition) return referencesOf(condition.not)
  const operands = [condition.left, ...(condition.compare ? [condition.compare.right] : [])]
  return operands.flatMap(operand => ('reference' in operand ? [operand.reference] : []))
}

/** Whether a condition holds, where `lookUp` gives what a reference stands for. */
export function holds(condition: Condition, lookUp: (reference: Reference) => unknown): boolean {
  if ('any' in condition) return condition.any.some(part => holds(part, lookUp))
  if ('all' in condition) return condition.all.every(part => holds(part, lookUp))
  if ('not' in condition) return !holds(condition.not, lookUp)
  const value = (operand: Operand) => ('reference' in operand ? lookUp(operand.reference) : operand.value)
  const left = value(condition.left)
  if (!condition.compare) return isTrue(left)
  const right = value(condition.compare.right)
  // What an answer says in text compares with the number or word that a chain's author writes.
  const same = left === right || (isPlain(left) && isPlain(right) && String(left) === String(right))
  return condition.compare.operator === '==' ? same : !same
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

/** Nothing, an empty text, `false`, zero and an empty list do not hold; the texts `false` and `no` neither. */
function isTrue(value: unknown): boolean {
  if (typeof value === 'string') return !['', 'false', 'no', '0'].includes(value.trim().toLowerCase())
  if (Array.isArray(value)) return value.length > 0
  return Boolean(value)
}
