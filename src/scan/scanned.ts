import type { Exclusion, ManifestSource } from './manifest.ts'
import type { Message, Trace } from './message.ts'

/** What a scan found, before it is written down. */
export interface Scanned {
  sources: ManifestSource[]
  exclusions: Exclusion[]
  /** In the order of time, then of files and lines; read again at each call. */
  messages(): Iterable<ScannedMessage>
}

/** A message and what followed it; every message that may be the person's has a trace. */
export interface ScannedMessage {
  message: Message
  trace: Trace | null
}
