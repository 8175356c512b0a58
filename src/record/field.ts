/** What a value must be, and the words that say so. */
interface Rule {
  readonly holds: (value: unknown) => boolean
  readonly words: string
}

/** One field of an entry, or of an object inside of one. TypeScript takes the type of what it holds from it. */
export interface Field<Value> {
  readonly isOptional?: boolean
  readonly isNullable?: boolean
  /** The first that does not hold is the one that is told. */
  readonly rules: readonly Rule[]
  /** The fields of a value that is an object. */
  readonly fields?: Fields
  /** Stands for the type alone, and is never set. */
  readonly value?: Value
}

export type Fields = Readonly<Record<string, Field<unknown>>>

type ValueOf<F> = F extends Field<infer Value> ? Value : never
type OptionalIn<F> = { [Name in keyof F]: undefined extends ValueOf<F[Name]> ? Name : never }[keyof F]

/** An object with these fields. */
export type ObjectOf<F> = { [Name in Exclude<keyof F, OptionalIn<F>>]: ValueOf<F[Name]> } & {
  [Name in OptionalIn<F>]?: ValueOf<F[Name]>
}

export const text: Field<string> = {
  rules: [{ holds: value => typeof value === 'string', words: 'must be a string' }],
}

/** Text for which `holds`. */
export function textThat(holds: (value: string) => boolean, words: string): Field<string> {
  return { rules: [...text.rules, { holds: value => holds(value as string), words }] }
}

/** One of these words. */
export function oneOf<const Word extends string>(words: readonly Word[], rule: string): Field<Word> {
  return { rules: [{ holds: value => words.includes(value as Word), words: rule }] }
}

export const trueOrFalse: Field<boolean> = {
  rules: [{ holds: value => typeof value === 'boolean', words: 'must be true or false' }],
}

export function wholeNumber(least: number, words: string): Field<number> {
  return {
    rules: [
      { holds: Number.isSafeInteger, words: 'must be a whole number' },
      { holds: value => (value as number) >= least, words },
    ],
  }
}

export function object<const F extends Fields>(fields: F, words: string): Field<ObjectOf<F>> & { fields: F } {
  return { rules: [{ holds: isObject, words }], fields }
}

/** A field that may be missing. */
export function optional<Value>(field: Field<Value>): Field<Value | undefined> {
  return { ...field, isOptional: true } as Field<Value | undefined>
}

/** A field that may be null. */
export function nullable<Value>(field: Field<Value>): Field<Value | null> {
  return { ...field, isNullable: true } as Field<Value | null>
}

/** A field that may not stand here, whatever it holds. */
export function never(words: string): Field<undefined> {
  return { isOptional: true, rules: [{ holds: () => false, words }] }
}

/**
 * Why an object does not have these fields: the first that is at fault, in their order, and what is wrong with it;
 * null where it has them. What else it has is not looked at.
 */
export function whyNot(fields: Fields, object: object, path = ''): string | null {
  for (const name in fields) {
    const { isOptional, isNullable, rules, fields: inside } = fields[name] as Field<unknown>
    const value = (object as Record<string, unknown>)[name]
    if (value === undefined ? isOptional : value === null && isNullable) continue
    const broken = rules.find(rule => !rule.holds(value))
    if (broken) return reasonFor(`${path}${name}`, value, broken.words)
    const reason = inside ? whyNot(inside, value as object, `${path}${name}.`) : null
    if (reason !== null) return reason
  }
  return null
}

/** What is told of a field that is at fault. */
export function reasonFor(field: string, found: unknown, words: string): string {
  return found === undefined ? `${field}: missing` : `${field}: ${words}`
}

/** The fields of an object that are not among these, nested ones with the field they stand in. */
export function fieldsBeside(fields: Fields, object: object): [string, unknown][] {
  return Object.entries(object).filter(([name, value]) => {
    if (!Object.hasOwn(fields, name)) return true
    const inside = fields[name]?.fields
    return inside !== undefined && Object.keys(value as object).some(key => !Object.hasOwn(inside, key))
  })
}

/** Whether `value` is an object with fields: neither null nor a list. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
