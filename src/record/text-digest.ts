import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** What the record keeps of a text in metadata mode (ruling 9). */
export interface TextDigest {
  /** Bytes of the text in UTF-8. */
  textLength: number
  /** SHA-256 of the same bytes, in hex. */
  textSha256: string
}

/** Length and hash of a text. A lone surrogate counts as U+FFFD, as every UTF-8 encoder writes it. */
export function digestText(text: string): TextDigest {
  const bytes = utf8ToBytes(text)
  return { textLength: bytes.length, textSha256: bytesToHex(sha256(bytes)) }
}

export type RecordText = 'full' | 'metadata'

/** The fields that hold a message's text in the record: the text itself, or its digest (rule.metadataOnly). */
export function textFields(text: string, recordText: RecordText): { text: string } | TextDigest {
  return recordText === 'metadata' ? digestText(text) : { text }
}
