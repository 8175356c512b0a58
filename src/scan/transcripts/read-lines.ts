const LF = 0x0a

/** Longer than any row that was reported (50 MB), and short enough for a string of JavaScript. */
export const LONGEST_LINE = 256 << 20

/** One line that ends in LF. `bytes` is null where the line is longer than `LONGEST_LINE`. */
export interface Line {
  /** From 1. */
  number: number
  /** Where it begins, in bytes. */
  offset: number
  length: number
  bytes: Buffer | null
}

export interface Begin {
  /** Bytes that were read before and are passed over; they end a line. */
  offset: number
  /** The lines in them. */
  lines: number
}

/**
 * Splits content into lines at the byte 0x0A alone: U+2028, U+2029, U+0085 and CR belong to a line. What follows the
 * last LF is not a line yet; the generator returns its length.
 */
export function* readLines(chunks: Iterable<Buffer>, begin: Begin): Generator<Line, number> {
  let toSkip = begin.offset
  let offset = begin.offset
  let number = begin.lines
  let parts: Buffer[] = []
  let length = 0
  for (const chunk of chunks) {
    let from = Math.min(toSkip, chunk.length)
    toSkip -= from
    while (from < chunk.length) {
      const end = chunk.indexOf(LF, from)
      const part = chunk.subarray(from, end === -1 ? chunk.length : end)
      length += part.length
      if (length <= LONGEST_LINE) parts.push(part)
      else parts = []
      if (end === -1) break
      number += 1
      yield { number, offset, length, bytes: length <= LONGEST_LINE ? joined(parts) : null }
      offset += length + 1
      parts = []
      length = 0
      from = end + 1
    }
  }
  return length
}

function joined(parts: Buffer[]): Buffer {
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
}
