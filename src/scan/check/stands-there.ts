import { isUtf8 } from 'node:buffer'
import type { Place } from '../message.ts'
import { isCompressed, openFile } from '../transcripts/file-chunks.ts'
import { parseRow } from '../transcripts/parse-row.ts'
import { holdsWords, listsWords } from './find-words.ts'
import { linesAt } from './lines-at.ts'

/**
 * Whether a row of a transcript is still the one that a scan read, and holds the words: a file may have been replaced
 * or cut since. Of a file that is not compressed, only the line is read.
 */
export function standsThere({ file, offset, row }: Place, words: string): boolean {
  try {
    const bytes = lineAt(file, offset)
    if (bytes === null || !isUtf8(bytes) || (row !== null && !bytes.includes(JSON.stringify(row))))
      return false
    const parsed = parseRow(bytes)
    return 'row' in parsed && (holdsWords(parsed.row, words) || listsWords(parsed.row, words))
  } catch {
    // Gone, not readable, damaged: nobody can look at it.
    return false
  }
}

/** Null where no whole line begins there. */
function lineAt(file: string, offset: number): Buffer | null {
  // With the byte before it, which ends the line before.
  const from = isCompressed(file) || offset === 0 ? 0 : offset - 1
  const opened = openFile(file, Number.POSITIVE_INFINITY, from)
  try {
    for (const line of linesAt(opened.chunks(), [offset - from])) return line.bytes
    return null
  } finally {
    opened.close()
  }
}
