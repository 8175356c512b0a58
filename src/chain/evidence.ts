/** One entry, reduced to what facts are made of. `name` is the entry's file name. */
export type Evidence = {
  name: string
  at: string
  cwd: string
  /** So many entries before this one could not be written. */
  missing?: number | null | undefined
} & (
  | { kind: 'start'; host: string; version: string; inbound: string; cause?: string | null | undefined }
  | { kind: 'chain'; parent: string; part: string; brief?: string | null | undefined }
  | { kind: 'message'; side: 'received' }
  | {
      kind: 'message'
      side: 'sent'
      isQueued: boolean
      peer: { sessionId?: string | undefined }
      text?: string | undefined
      textSha256?: string | undefined
    }
)

/** The order in which a session's entries follow each other: by time, then by file name. */
export function compareEvidence(a: { at: string; name: string }, b: { at: string; name: string }): number {
  return compare(a.at, b.at) || compare(a.name, b.name)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
