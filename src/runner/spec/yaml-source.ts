import { isAlias, isMap, isNode, isPair, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml'
import type { Mistake } from './mistake.ts'
import { tooDeepAt } from './yaml-depth.ts'

export type Path = readonly (string | number)[]

/** A chain's file as data, with the place of each part of it. */
export interface YamlSource {
  data: unknown
  /** Where the value at a path stands; the nearest part above it where it does not exist. */
  placeOf(path: Path): { line: number; column: number }
  /** Where the name of a field stands. */
  placeOfKey(path: Path, key: string): { line: number; column: number }
}

const MAX_ALIASES = 100

/** Reads YAML 1.2 with one document; gives the mistakes instead where it is not well formed. */
export function readYaml(text: string): { source: YamlSource } | { mistakes: Mistake[] } {
  const counter = new LineCounter()
  const place = (offset: number) => {
    const { line, col } = counter.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const tooDeep = tooDeepAt(text)
  if (tooDeep !== null)
    return { mistakes: [{ message: 'lists and maps lie too deep in each other', ...tooDeep }] }
  const parsed = parseAllDocuments(text, {
    lineCounter: counter,
    version: '1.2',
    uniqueKeys: true,
    stringKeys: true,
    prettyErrors: false,
  })
  const documents = Array.isArray(parsed) ? parsed : []
  const [document, second] = documents
  if (!document) return { mistakes: [{ message: 'the file is empty', line: 1, column: 1 }] }
  const mistakes = documents
    .flatMap(one => [...one.errors, ...one.warnings])
    .map(({ message, pos }) => ({ message: `not well-formed YAML: ${message}`, ...place(pos[0]) }))
  if (second) {
    const at = place(second.range[0])
    mistakes.push({ message: 'a second document: a file holds one chain', ...at })
  }
  if (mistakes.length > 0) return { mistakes }
  const find = (path: Path): { value: Node | null; key: Node | null } => {
    let value: unknown = document.contents
    let key: unknown = null
    for (const part of path) {
      if (isAlias(value)) value = value.resolve(document)
      if (isMap(value)) {
        const pair = value.items.find(item => isPair(item) && String(item.key) === String(part))
        if (!pair) break
        key = pair.key
        value = pair.value
      } else if (isSeq(value) && value.items[Number(part)] !== undefined) value = value.items[Number(part)]
      else break
    }
    return { value: isNode(value) ? value : null, key: isNode(key) ? key : null }
  }
  try {
    const data: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
    if (isCyclic(data))
      return { mistakes: [{ message: 'an alias stands within what it names', line: 1, column: 1 }] }
    return {
      source: {
        data,
        placeOf(path) {
          const { value, key } = find(path)
          return place(value?.range?.[0] ?? key?.range?.[0] ?? 0)
        },
        placeOfKey: (path, key) => {
          const { key: node, value } = find([...path, key])
          return place(node?.range?.[0] ?? value?.range?.[0] ?? 0)
        },
      },
    }
  } catch (error) {
    return { mistakes: [{ message: `not usable YAML: ${(error as Error).message}`, line: 1, column: 1 }] }
  }
}

function isCyclic(value: unknown, above: readonly unknown[] = []): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (above.includes(value)) return true
  return Object.values(value).some(part => isCyclic(part, [...above, value]))
}
