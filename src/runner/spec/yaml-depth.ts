import { type CST, LineCounter, Parser } from 'yaml'

/** No chain needs as much; what reads and checks a chain goes down into it level by level. */
const MAX_DEPTH = 100

/** Where a YAML text goes deeper than any chain does; null where it does not. */
export function tooDeepAt(text: string): { line: number; column: number } | null {
  const counter = new LineCounter()
  const left: { token: CST.Token | null | undefined; depth: number }[] = []
  for (const token of new Parser(counter.addNewLine).parse(text)) left.push({ token, depth: 0 })
  for (let next = left.pop(); next; next = left.pop()) {
    const { token, depth } = next
    if (!token) continue
    if (depth > MAX_DEPTH) {
      const { line, col } = counter.linePos(token.offset)
      return { line, column: col }
    }
    if (token.type === 'document') left.push({ token: token.value, depth })
    if (!('items' in token)) continue
    for (const item of token.items) {
      left.push({ token: item.key, depth: depth + 1 })
      left.push({ token: item.value, depth: depth + 1 })
    }
  }
  return null
}
