import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import type { z } from 'zod'
import { Problem } from '../../problem.ts'

const LF = 0x0a
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
  let line = 0
  for (const { bytes, offset, isWhole } of linesOf(path)) {
    line += 1
    if (!isWhole) throw damaged(path, line, 'it does not end')
    yield { row: parseRowOf(path, line, bytes.toString('utf8'), schema), offset, length: bytes.length }
  }
}

/** Reads one row again whose place is known. */
export function readRowAt<Row>(
  file: number,
  path: string,
  place: { offset: number; length: number },
  schema: z.ZodType<Row>,
): Row {
  const bytes = Buffer.alloc(place.length)
  readSync(file, bytes, 0, place.length, place.offset)
  return parseRowOf(path, null, bytes.toString('utf8'), schema)
}

function parseRowOf<Row>(path: string, line: number | null, text: string, schema: z.ZodType<Row>): Row {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw damaged(path, line, 'it is not JSON')
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw damaged(path, line, whatIsWrong(parsed.error))
}

/** The first thing that a schema found wrong, with the field's name. */
export function whatIsWrong(error: z.ZodError): string {
  const issue = error.issues[0]
  return `${issue?.path.join('.') || 'the row'}: ${issue?.message ?? 'wrong'}`
}

function damaged(path: string, line: number | null, what: string): Problem {
  const where = line === null ? path : `${path}, line ${line}`
  return new Problem('failed', `${where}, cannot be read: ${what}`, {
    path,
    hint: 'scan into this folder again; decisions are kept',
  })
}

function* linesOf(path: string): Generator<{ bytes: Buffer; offset: number; isWhole: boolean }> {
  const file = openResultFile(path)
  try {
    let offset = 0
    let parts: Buffer[] = []
    for (let at = 0; ; ) {
      const chunk = Buffer.allocUnsafe(CHUNK)
      const read = readSync(file, chunk, 0, CHUNK, at)
      if (read === 0) break
      at += read
      let from = 0
      for (let end = chunk.indexOf(LF); end !== -1 && end < read; end = chunk.indexOf(LF, from)) {
        const bytes = Buffer.concat([...parts, chunk.subarray(from, end)])
        yield { bytes, offset, isWhole: true }
        offset += bytes.length + 1
        parts = []
        from = end + 1
      }
      if (from < read) parts.push(chunk.subarray(from, read))
    }
    if (parts.length > 0) yield { bytes: Buffer.concat(parts), offset, isWhole: false }
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
    throw new Problem('failed', `${path} cannot be read: ${(error as Error).message}`, {
      path,
      hint: 'scan into this folder again; decisions are kept',
      cause: error,
    })
  }
}

/** Whether an error says that there is no such file. */
export function isMissing(error: unknown): boolean {
  const { code } = ((error as Problem).cause ?? error) as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/**
 * The content of a file of a result.
 *
 * @throws Problem `failed`
 */
export function readResultFile(path: string): Buffer {
  const file = openResultFile(path)
  try {
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}
