import type { EngineInterface } from 'claude-code'
import type { UnknownEvidence } from '../query/chain/chain-tree.ts'
import {
  addEvidence,
  compareEvidence,
  type Evidence,
  type SessionFacts,
  sessionFacts,
} from '../query/chain/session-facts.ts'
import { parseEntry } from '../record/entry.ts'
import { parseEntryFileName } from '../record/file-name.ts'
import { isSessionId } from '../record/session-id.ts'

/** What was read of one session's folder. */
export interface FolderFacts {
  facts: SessionFacts | null
  unknown: UnknownEvidence[]
}

/** Files that have been read by this load: an entry is written once, so it need not be read again. */
const parsed = new Map<string, Evidence>()
/** Reads in flight at a time: more make the host slower, not faster. */
const AT_ONCE = 8

/**
 * Reads a session's folder: all of it, or what is newer than `known` holds. What cannot be read is unknown evidence
 * and is read again the next time (rule.oneWriter).
 */
export async function readSessionFolder(
  $: EngineInterface,
  recordDir: string,
  sessionId: string,
  known: SessionFacts | null,
): Promise<FolderFacts> {
  const unknown: UnknownEvidence[] = []
  const evidence: Evidence[] = []
  const names = await entryNames($, `${recordDir}/${sessionId}`)
  const newer = known === null ? names : names.filter(name => name > known.newestName)
  await eachOf(newer, async name => {
    const read = await readEvidence($, `${recordDir}/${sessionId}/${name}`, sessionId, name)
    if (read === null) unknown.push({ sessionId, at: parseEntryFileName(name)?.at ?? null })
    else evidence.push(read)
  })
  evidence.sort(compareEvidence)
  const facts =
    known === null
      ? sessionFacts(sessionId, evidence)
      : evidence.reduce((sum, one) => addEvidence(sessionId, sum, one), known)
  return { facts, unknown }
}

/** The names of the record's session folders. */
export async function sessionFolders($: EngineInterface, recordDir: string): Promise<string[]> {
  try {
    return (await $.fs.list(recordDir))
      .filter(one => one.kind === 'dir' && isSessionId(one.name))
      .map(one => one.name)
  } catch {
    return []
  }
}

/** Runs `work` on each, a few at a time. */
export async function eachOf<One>(all: readonly One[], work: (one: One) => Promise<void>): Promise<void> {
  for (let start = 0; start < all.length; start += AT_ONCE)
    await Promise.all(all.slice(start, start + AT_ONCE).map(work))
}

async function entryNames($: EngineInterface, folder: string): Promise<string[]> {
  try {
    const items = await $.fs.list(folder)
    return items
      .filter(one => one.kind === 'file' && parseEntryFileName(one.name) !== null)
      .map(one => one.name)
  } catch {
    return []
  }
}

async function readEvidence(
  $: EngineInterface,
  path: string,
  sessionId: string,
  name: string,
): Promise<Evidence | null> {
  const known = parsed.get(path)
  if (known) return known
  try {
    const read = parseEntry(await $.fs.read(path))
    if ('reason' in read || read.entry.sessionId !== sessionId) return null
    const evidence = { ...read.entry, name } as Evidence
    parsed.set(path, evidence)
    return evidence
  } catch {
    return null
  }
}
