import { LONGEST_LINE } from '../transcripts/read-lines.ts'

const LF = 0x0a

export interface LineAt {
  offset: number
  /** From 1, by counting the line feeds before it. */
  number: number
  /** Null where the line is too long to be looked into. */
  bytes: Buffer | null
}

/**
 * The lines that begin at some offsets. Of all others only the line feeds are counted, so that one of many megabytes
 * costs no memory.
 *
 * @param offsets in rising order
 */
export function* linesAt(chunks: Iterable<Buffer>, offsets: readonly number[]): Generator<LineAt> {
  let wanted = 0
  let offset = 0
  let number = 1
  let length = 0
  let parts: Buffer[] = []
  const isWanted = () => {
    while (wanted < offsets.length && (offsets[wanted] as number) < offset) wanted += 1
    return offsets[wanted] === offset
  }
  const line = (): LineAt => ({ offset, number, bytes: length > LONGEST_LINE ? null : Buffer.concat(parts) })
  for (const chunk of chunks) {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(LF, from)
      const part = chunk.subarray(from, end === -1 ? chunk.length : end)
      length += part.length
      if (isWanted()) {
        if (length <= LONGEST_LINE) parts.push(part)
        else parts = []
        if (end !== -1) yield line()
      }
      if (end === -1) break
      offset += length + 1
      number += 1
      length = 0
      parts = []
      from = end + 1
      if (wanted === offsets.length && (offsets.at(-1) ?? -1) < offset) return
    }
  }
  if (length > 0 && isWanted()) yield line()
}
