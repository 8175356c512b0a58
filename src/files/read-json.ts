import { parsedJson } from './parsed-json.ts'
import { readText, type Unusable } from './read-text.ts'
import type { ReadOptions } from './read-whole.ts'

/** Why a file gives no value: it is `missing`, or it is there and damaged in one of the other ways. */
export type NoJson = Omit<Unusable, 'unread'> & { unread: Unusable['unread'] | 'not-json' }

/**
 * Reads a whole file as one JSON value (RFC 8259: UTF-8 without a byte order mark).
 *
 * @returns the value, or why there is none, for the caller to say in its own words
 */
export function readJson(path: string, options: ReadOptions): { value: unknown } | NoJson {
  const read = readText(path, options)
  if (!('text' in read)) return read
  if (read.text.startsWith('\ufeff')) return { unread: 'not-json', why: 'begins with a byte order mark' }
  const parsed = parsedJson(read.text)
  return 'value' in parsed ? parsed : { unread: 'not-json', why: `is not JSON: ${parsed.refused}` }
}
