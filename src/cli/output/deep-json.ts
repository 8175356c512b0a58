/**
 * `JSON.stringify` for plain data nested deeper than the call stack, which a chain of many thousand leads is: it
 * keeps a list of its own of what is still to be written.
 */
export function deepJson(value: unknown): string {
  const written: string[] = []
  const waiting: Part[] = [{ value }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if ('text' in next) written.push(next.text)
    else if (Array.isArray(next.value))
      for (const part of arrayParts(next.value).reverse()) waiting.push(part)
    else if (isObject(next.value)) for (const part of objectParts(next.value).reverse()) waiting.push(part)
    else written.push(JSON.stringify(next.value) ?? 'null')
  }
  return written.join('')
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

type Part = { text: string } | { value: unknown }

function arrayParts(array: unknown[]): Part[] {
  const parts = array.flatMap((value, index): Part[] =>
    index === 0 ? [{ value }] : [{ text: ',' }, { value }],
  )
  return [{ text: '[' }, ...parts, { text: ']' }]
}

function objectParts(object: object): Part[] {
  const fields = Object.entries(object).filter(([, value]) => value !== undefined)
  const parts = fields.flatMap(([name, value], index): Part[] => [
    { text: `${index === 0 ? '' : ','}${JSON.stringify(name)}:` },
    { value },
  ])
  return [{ text: '{' }, ...parts, { text: '}' }]
}
