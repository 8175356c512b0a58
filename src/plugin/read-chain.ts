import { type ChainTree, chainTree, type UnknownEvidence } from '../chain/chain-tree.ts'
import { findCycles } from '../chain/cycles.ts'
import { rootsOf } from '../chain/projection.ts'
import type { SessionFacts } from '../chain/session-facts.ts'
import { type Published, readPublished, readPublishedChain } from './read-projection.ts'
import { eachOf, readSessionFolder, sessionFolders } from './read-record.ts'
import type { RecordFiles } from './record-files.ts'
import type { Settings } from './settings.ts'

/** The chain of one session, and what the answer rests on. */
export interface SessionChain {
  tree: ChainTree
  /** The time the projection agrees with the record, where one was used; null for plain files. */
  publishedAt: string | null
  /** Session folders of which files were read for this answer. */
  foldersRead: number
}

/** The chain of a session as it was read last. */
export interface KnownChain {
  sessionId: string
  chain: SessionChain
  readAt: Date
}

/** Facts and unknown evidence, gathered from the projection and from files. */
interface Gathered {
  /** The session folders that the record has now. */
  folders: ReadonlySet<string>
  facts: Map<string, SessionFacts>
  unknown: UnknownEvidence[]
}

/**
 * The chain that a session belongs to: from the indexer's projection and what is newer in the record than it, else
 * from the record's files alone (ruling 3). Both ways give the same answer.
 */
export async function readChain(
  $: RecordFiles,
  settings: Settings,
  sessionId: string,
): Promise<SessionChain> {
  const { recordDir, projectionDir } = settings
  const folders = await sessionFolders($, recordDir)
  const published = projectionDir === null ? null : await readPublished($, projectionDir, recordDir)
  if (published) {
    try {
      return await fromProjection($, recordDir, folders, published, sessionId)
    } catch {
      // A projection that is being replaced while it is read: the files are the truth anyway.
    }
  }
  const gathered: Gathered = { folders: new Set(folders), facts: new Map(), unknown: [] }
  await readFolders($, recordDir, folders, gathered)
  return { tree: treeOf(gathered, sessionId), publishedAt: null, foldersRead: folders.length }
}

async function fromProjection(
  $: RecordFiles,
  recordDir: string,
  folders: string[],
  published: Published,
  sessionId: string,
): Promise<SessionChain> {
  const gathered: Gathered = { folders: new Set(folders), facts: new Map(), unknown: [] }
  const loaded = new Set<string>()
  const changed = await changedFolders($, recordDir, folders, published)
  await loadChains($, published, [sessionId, ...changed], loaded, gathered)
  await readFolders($, recordDir, changed, gathered)
  // A join that is newer than the projection can lead into a chain that was not loaded yet. All such joins are read by
  // now, and those of a chain as it was published stay in it, so one look is enough.
  const parents = [...gathered.facts.values()].flatMap(one => one.join?.parent ?? [])
  await loadChains($, published, parents, loaded, gathered)
  // Of one that stood alone the projection holds nothing but that.
  const alone = new Set([sessionId, ...parents].filter(id => published.roots.get(id) === null))
  const read = new Set([...changed, ...alone])
  await readFolders(
    $,
    recordDir,
    [...alone].filter(id => !changed.includes(id)),
    gathered,
  )
  return { tree: treeOf(gathered, sessionId), publishedAt: published.indexedAt, foldersRead: read.size }
}

/** Adds the facts of the chains that these sessions belong to, but of no folder that is gone. */
async function loadChains(
  $: RecordFiles,
  published: Published,
  sessions: string[],
  loaded: Set<string>,
  gathered: Gathered,
): Promise<void> {
  const rootsOfOne = (id: string) => published.roots.get(id) ?? (published.chains.has(id) ? id : [])
  const roots = new Set(sessions.flatMap(rootsOfOne))
  for (const root of roots) {
    if (loaded.has(root)) continue
    loaded.add(root)
    const chain = await readPublishedChain($, published, root)
    for (const one of chain.sessions)
      if (gathered.folders.has(one.sessionId)) gathered.facts.set(one.sessionId, one)
    gathered.unknown.push(...chain.unknown)
  }
}

async function readFolders(
  $: RecordFiles,
  recordDir: string,
  folders: string[],
  gathered: Gathered,
): Promise<void> {
  await eachOf(folders, async folder => {
    // What was published of the folder's files is read again; of those that are gone the files themselves say nothing.
    const isOfFolder = ({ file }: UnknownEvidence) => file.startsWith(`${folder}/`)
    const gone = gathered.unknown.filter(one => one.isGone && isOfFolder(one))
    gathered.unknown = gathered.unknown.filter(one => !isOfFolder(one))
    const known = gathered.facts.get(folder) ?? null
    const read = await readSessionFolder($, recordDir, folder, known, gone)
    if (read.facts) gathered.facts.set(folder, read.facts)
    else gathered.facts.delete(folder)
    gathered.unknown.push(...read.unknown)
  })
}

function treeOf({ facts, unknown }: Gathered, sessionId: string): ChainTree {
  const all = [...facts.values()]
  const parents = new Map(all.map(one => [one.sessionId, one.join?.parent ?? null]))
  const roots = rootsOf(parents, findCycles(parents))
  const root = roots.get(sessionId)
  const isOfChain = (one: SessionFacts) => roots.get(one.sessionId) === root
  return chainTree(root === undefined ? [] : all.filter(isOfChain), unknown)
}

/** A folder's last change is this much older than the projection before it counts as seen: some file systems keep times to two seconds. */
const MARGIN_MS = 2_000

/** The folders that are new to the projection, or have changed since it agreed with the record. */
async function changedFolders(
  $: RecordFiles,
  recordDir: string,
  folders: string[],
  published: Published,
): Promise<string[]> {
  const since = Date.parse(published.indexedAt) - MARGIN_MS
  const changed = folders.filter(folder => !published.roots.has(folder))
  await eachOf(
    folders.filter(folder => published.roots.has(folder)),
    async folder => {
      const { mtimeMs } = await $.fs.stat(`${recordDir}/${folder}`)
      if (mtimeMs >= since) changed.push(folder)
    },
  )
  return changed
}
