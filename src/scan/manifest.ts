import type { Label, Product } from './message.ts'

/** The state of a result: `complete` only where `coord scan check` passed and nothing was changed since (rule.completeOrLabelled). */
export type ResultStatus = 'incomplete' | 'complete'

/** `manifest.json` of a result folder. */
export interface Manifest {
  format: 1
  status: ResultStatus
  tool: { name: 'coord'; version: string; revision: string }
  scannedAt: string
  options: ScanOptions
  /** Every transcript that was read. */
  sources: ManifestSource[]
  counts: ManifestCounts
  /** What the last check found; null before the first. */
  check: { at: string; passed: boolean; problems: string[]; notes: string[] } | null
  /** Comparisons with earlier results (rule.measuredDeployment). */
  comparisons: ComparisonRecord[]
  /** Ids that decisions of an earlier scan here name and no message of this one bears; the decisions are kept. */
  orphanedDecisions: string[]
}

/** How a scan was asked: its limits, and its roots by the option that named them, one for each format. */
export interface ScanOptions {
  [option: string]: readonly string[] | string | null
  project: string | null
  since: string | null
  until: string | null
  recordDir: string | null
}

/** The folders and files that a scan was to look at. */
export function rootsOf(options: ScanOptions): string[] {
  return Object.values(options).flatMap(value => (Array.isArray(value) ? (value as readonly string[]) : []))
}

export interface ManifestSource {
  /** Absolute path. */
  file: string
  product: Product
  /** `history` is a list of typed prompts beside the transcripts. */
  kind: 'transcript' | 'history'
  /** Sessions whose rows it holds. */
  sessions: string[]
  cwd: string | null
  /** The program's versions that wrote rows of it. */
  versions: string[]
  /** Bytes on disk that were read. */
  size: number
  /** SHA-256 of those bytes, hex. */
  sha256: string
  /** Bytes up to the end of the last whole line; of a compressed file, unpacked. */
  readTo: number
  firstAt: string | null
  lastAt: string | null
  counts: SourceCounts
}

export interface SourceCounts {
  /** Lines that end in LF. */
  lines: number
  /** Lines that are no JSON object. */
  malformed: number
  /** Bytes of a last line without LF: not read yet. */
  unfinishedBytes: number
  toolResults: number
  /** Places where words stand, by label: the sum over all sources is the number of messages and their other places. */
  places: Record<Label, number>
}

export interface ManifestCounts {
  sources: number
  bytes: number
  lines: number
  malformed: number
  messages: Record<Label, number>
  /** Messages and their other places, together. */
  places: number
  directions: number
  exclusions: number
}

/** A line of `exclusions.ndjson`: what was selected or found and not read, and why. */
export interface Exclusion {
  file: string
  /** Null: the whole file. */
  line: number | null
  reason: string
}

export interface ComparisonRecord {
  at: string
  old: { path: string; revision: string }
  new: { path: string; revision: string }
  /** SHA-256 over the hashes of the sources, which are the same in both. */
  sampleSha256: string
  losses: number
  gains: number
  /** Why the losses were accepted; null where nobody did. */
  acceptedLoss: string | null
}
