import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import type * as z from 'zod'
import { readWhole } from '../../files/read-whole.ts'
import { Problem } from '../../problem/problem.ts'
import { readAt } from '../extract/extract-file.ts'
import { readLines } from '../transcripts/read-lines.ts'
import { LARGEST_FILE } from './result-folder.ts'

const CHUNK = 1 << 18

/** A row of an NDJSON file, and where it stands. */
export interface ReadRow<Row> {
  row: Row
  offset: number
  length: number
}

/**
 * Reads an NDJSON file row by row; of a large one a row is in memory at a time.
 *
 * @throws Problem `failed` that names the file and the line where one is not what it must be
 */
export function* readRows<Row>(path: string, schema: z.ZodType<Row>): Generator<ReadRow<Row>> {
  const lines = readLines(chunksOf(path), { offset: 0, lines: 0 })
  let line = 0
  try {
    for (let next = lines.next(); ; next = lines.next()) {
      line += 1
      if (next.done) {
        if (next.value > 0) throw damaged(path, line, 'it does not end')
        return
      }
      const { offset, length, bytes } = next.value
      if (bytes === null) throw damaged(path, line, 'it is too long')
      yield { row: parseRowOf(path, line, bytes.toString('utf8'), schema), offset, length }
    }
  } finally {
    // Whoever stops early leaves no file open.
    lines.return(0)
  }
}

/** Reads one row again whose place is known. */
export function readRowAt<Row>(
  file: number,
  path: string,
  place: { offset: number; length: number },
  schema: z.ZodType<Row>,
): Row {
  return parseRowOf(path, null, readAt(file, place.offset, place.length).toString('utf8'), schema)
}

function parseRowOf<Row>(path: string, line: number | null, text: string, schema: z.ZodType<Row>): Row {
  const read = parseAs(text, schema)
  if ('wrong' in read) throw damaged(path, line, read.wrong)
  return read.value
}

/** A text as the JSON that a schema describes, or the first thing that is wrong with it and what it is instead. */
export function parseAs<Value>(
  text: string,
  schema: z.ZodType<Value>,
): { value: Value } | { wrong: string; json: unknown } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { wrong: 'it is not JSON', json: undefined }
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return { value: parsed.data }
  const issue = parsed.error.issues[0]
  return { wrong: `${issue?.path.join('.') || 'the row'}: ${issue?.message ?? 'wrong'}`, json: value }
}

function damaged(path: string, line: number | null, what: string): Problem {
  const where = line === null ? path : `${path}, line ${line}`
  return new Problem('failed', `${where}, cannot be read: ${what}`, {
    path,
    hint: 'scan into this folder again; decisions are kept',
  })
}

function* chunksOf(path: string): Generator<Buffer> {
  const file = openResultFile(path)
  try {
    for (let at = 0; ; ) {
      const chunk = Buffer.allocUnsafe(CHUNK)
      const read = readSync(file, chunk, 0, CHUNK, at)
      if (read === 0) return
      at += read
      yield chunk.subarray(0, read)
    }
  } finally {
    closeSync(file)
  }
}

/**
 * Opens a file of a result.
 *
 * @throws Problem `failed` where it is missing, cannot be read or is no file, such as a FIFO, which nobody waits for
 */
export function openResultFile(path: string): number {
  let file: number | null = null
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    if (!fstatSync(file).isFile()) throw new Error('it is no regular file')
    return file
  } catch (error) {
    if (file !== null) closeSync(file)
    throw unusable(path, `cannot be read: ${(error as Error).message}`, error)
  }
}

/** Whether an error says that there is no such file. */
export function isMissing(error: unknown): boolean {
  const { code } = ((error as Problem).cause ?? error) as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/**
 * The whole content of a file of a result.
 *
 * @throws Problem `failed` where it is missing, no file, too large or cannot be read
 */
export function readResultFile(path: string): Buffer {
  const read = readWhole(path, { largest: LARGEST_FILE })
  if ('bytes' in read) return read.bytes
  const { unread, why, code } = read
  throw unusable(
    path,
    unread === 'failed' ? why : `cannot be read: it ${why}`,
    Object.assign(new Error(why), { code }),
  )
}

function unusable(path: string, why: string, cause: unknown): Problem {
  return new Problem('failed', `${path} ${why}`, {
    path,
    hint: 'scan into this folder again; decisions are kept',
    cause,
  })
}
