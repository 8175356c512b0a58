import type { Extract } from '../extract/extract.ts'
import type { Found, FoundSend } from '../extract/found.ts'
import type { Confidence, Label, Place, Product, Trace } from '../message.ts'

/** Where a line of an extract stands: long texts are read again when they are needed, and not kept. */
export interface Spot {
  extract: Extract
  position: number
  length: number
}

/** One find without its words. */
export interface Item {
  /** The same in every scan of the same row and words. */
  id: string
  extract: Extract
  seq: number
  label: Label
  confidence: Confidence
  kind: string
  saysNothing: boolean
  sha256: string
  at: string | null
  session: string
  cwd: string | null
  product: Product
  place: Place
  also: Place[]
  spot: Spot | null
  /** A find that holds only if nothing follows: it stands with the whole of the transcript. */
  provisional: Found | null
  trace: Spot | { provisional: Trace } | null
  isAbandoned: boolean
}

/** Words that were sent to another session, without the words. */
export interface SendItem extends Omit<FoundSend, 'words' | 'line' | 'offset' | 'row'> {
  sha256: string
  place: Place
}

export interface BadLine {
  file: string
  line: number
  reason: string
}
