import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest, ScanOptions } from '../../src/scan/manifest.ts'
import type { Direction, Message } from '../../src/scan/message.ts'
import {
  readDirections,
  readManifest,
  readMessages,
  readUnresolved,
} from '../../src/scan/result/read-result.ts'
import type { UnresolvedRow } from '../../src/scan/result/rows.ts'
import { type WrittenResult, writeResult } from '../../src/scan/result/write-result.ts'
import { scanTranscripts } from '../../src/scan/scan.ts'

export interface ScanInto {
  options?: Partial<ScanOptions>
  revision?: string
  scannedAt?: Date
}

/** Scans a folder of transcripts into a result, as `coord scan` does, without a record. */
export async function scanInto(
  out: string,
  claude: string,
  { options = {}, revision = 'test', scannedAt = new Date() }: ScanInto = {},
): Promise<WrittenResult> {
  const all = {
    claude: [claude],
    codex: [],
    project: null,
    since: null,
    until: null,
    recordDir: null,
    ...options,
  }
  const scanned = scanTranscripts({
    options: all,
    record: null,
    cacheDir: join(out, '..', 'transcripts-read'),
    revision,
  })
  return writeResult(out, scanned, {
    options: all,
    tool: { name: 'coord', version: '0.0.0', revision },
    scannedAt,
  })
}

export interface ResultRows {
  manifest: Manifest
  messages: Message[]
  directions: Direction[]
  unresolved: UnresolvedRow[]
}

/** All rows of a small result. */
export function rowsOf(out: string): ResultRows {
  return {
    manifest: readManifest(out),
    messages: [...readMessages(out)].map(({ row }) => row),
    directions: [...readDirections(out)].map(({ row }) => row),
    unresolved: [...readUnresolved(out)].map(({ row }) => row),
  }
}

/** The lines of an NDJSON file, for a test that changes them as somebody with an editor would. */
export function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').slice(0, -1)
}
