import { readText, type Unusable } from './read-text.ts'
import type { ReadOptions } from './read-whole.ts'

/** Why a file gives no value: it is `missing`, or it is there and damaged in one of the other ways. */
export type NoJson = Omit<Unusable, 'unread'> & { unread: Unusable['unread'] | 'not-json' }

/** No file of ours or of the host comes near it; what walks a deeper value by recursion would end the program. */
const DEEPEST = 500

/**
 * Reads a whole file as one JSON value (RFC 8259: UTF-8 without a byte order mark).
 *
 * @returns the value, or why there is none, for the caller to say in its own words
 */
export function readJson(path: string, options: ReadOptions): { value: unknown } | NoJson {
  const read = readText(path, options)
  if (!('text' in read)) return read
  if (read.text.startsWith('\ufeff')) return notJson('begins with a byte order mark')
  let value: unknown
  try {
    value = JSON.parse(read.text)
  } catch (error) {
    return notJson(`is not JSON: ${(error as Error).message}`)
  }
  return isDeeper(value, DEEPEST) ? notJson(`is nested over ${DEEPEST} levels`) : { value }
}

function notJson(why: string): NoJson {
  return { unread: 'not-json', why }
}

/** Whether a value nests over so many levels; level by level, since recursion is what this guards. */
function isDeeper(value: unknown, levels: number): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true
    level = level.flatMap(one => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return false
}
