import type { UnknownEvidence } from '../chain/chain-tree.ts'
import { compareEvidence, type Evidence } from '../chain/evidence.ts'
import { addEvidence, isNewer, type SessionFacts, sessionFacts } from '../chain/session-facts.ts'
import { parseEntry } from '../record/entry.ts'
import { classifyName, entryNameOf, parseEntryFileName, placeholderOf } from '../record/file-name.ts'
import { isSessionId } from '../record/session-id.ts'
import type { RecordFiles } from './record-files.ts'

/** What was read of one session's folder. */
export interface FolderFacts {
  facts: SessionFacts | null
  unknown: UnknownEvidence[]
}

/** Files that have been read by this load: an entry is written once, so it need not be read again. */
const parsed = new Map<string, ReadEvidence>()

/**
 * Reads a session's folder: what is newer than `known` holds, or all of it where `known` is not of all that is older,
 * since a file was copied in under an old name, completed or removed. What cannot be read is unknown evidence and is
 * read again the next time (rule.oneWriter); what was known and is not there any more is, too (ruling 8).
 *
 * @param gone of its entries, those that the index knows to be gone
 */
export async function readSessionFolder(
  $: RecordFiles,
  recordDir: string,
  sessionId: string,
  known: SessionFacts | null,
  gone: readonly UnknownEvidence[] = [],
): Promise<FolderFacts> {
  const { entries, others } = await namesIn($, `${recordDir}/${sessionId}`)
  const names = new Set([...entries, ...others])
  const newer = known === null ? entries : entries.filter(name => name > known.newestName)
  const isComplete =
    known !== null && entries.length - newer.length === known.entries && entries.includes(known.newestName)
  const unknown = others.map(name => unknownFile(sessionId, name))
  const evidence: Evidence[] = []
  await eachOf(isComplete ? newer : entries, async name => {
    const read = await readEvidence($, `${recordDir}/${sessionId}/${name}`, name)
    if (read?.sessionId === sessionId) return void evidence.push(read.evidence)
    unknown.push(unknownFile(sessionId, name))
    // A file that states another session may hide what that one did, too.
    if (read) unknown.push({ ...unknownFile(sessionId, name), sessionId: read.sessionId })
  })
  evidence.sort(compareEvidence)
  const facts = isComplete
    ? evidence.reduce((sum, one) => addEvidence(sessionId, sum, one), known)
    : sessionFacts(sessionId, evidence)
  unknown.push(...gone.filter(({ file }) => !names.has(file.slice(sessionId.length + 1))))
  if (facts && known && !isComplete && evidence.filter(one => !isNewer(one, known)).length < known.entries) {
    // Which of them is gone only the index can tell: any of them, up to the newest.
    unknown.push({ sessionId, at: known.lastHeard, file: `${sessionId}/${known.newestName}`, isGone: true })
  }
  return { facts, unknown }
}

/** The names of the record's session folders. */
export async function sessionFolders($: RecordFiles, recordDir: string): Promise<string[]> {
  try {
    return (await $.fs.list(recordDir))
      .filter(one => one.kind === 'dir' && isSessionId(one.name))
      .map(one => one.name)
  } catch {
    return []
  }
}

/** Does `work` on each, one after the other (recordFiles). */
export async function eachOf<One>(all: readonly One[], work: (one: One) => Promise<void>): Promise<void> {
  for (const one of all) await work(one)
}

/** The names in a session's folder: entries, and what is named like one and is none. */
async function namesIn($: RecordFiles, folder: string): Promise<{ entries: string[]; others: string[] }> {
  try {
    const items = (await $.fs.list(folder)).filter(
      one => classifyName(one.name) !== null || placeholderOf(one.name) !== null,
    )
    const isEntry = (one: { name: string; kind: string }) =>
      one.kind === 'file' && classifyName(one.name) === 'entry'
    return {
      entries: items.filter(isEntry).map(one => one.name),
      others: items.filter(one => !isEntry(one)).map(one => one.name),
    }
  } catch {
    return { entries: [], others: [] }
  }
}

/** A file of a session's folder as unknown evidence, of the time that the name states which it has or stands for. */
function unknownFile(sessionId: string, name: string): UnknownEvidence {
  const at = parseEntryFileName(entryNameOf(name))?.at ?? null
  return { sessionId, at, file: `${sessionId}/${name}` }
}

interface ReadEvidence {
  sessionId: string
  evidence: Evidence
}

async function readEvidence($: RecordFiles, path: string, name: string): Promise<ReadEvidence | null> {
  const known = parsed.get(path)
  if (known) return known
  try {
    const read = parseEntry(await $.fs.read(path))
    if ('reason' in read) return null
    const found = { sessionId: read.entry.sessionId, evidence: { ...read.entry, name } as Evidence }
    parsed.set(path, found)
    return found
  } catch {
    return null
  }
}
