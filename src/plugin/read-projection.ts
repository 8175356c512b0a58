import {
  type ChainProjection,
  PROJECTION_FORMAT,
  type ProjectionManifest,
  type SessionMapShard,
} from '../chain/projection.ts'
import type { RecordFiles } from './record-files.ts'

/** The indexer's projection of one record. */
export interface Published {
  folder: string
  /** The time up to which it agrees with the record. */
  indexedAt: string
  /** Every session it knows with its chain's root; null for one that stands alone. */
  roots: ReadonlyMap<string, string | null>
  /** The root of every published chain, which may be a session that it knows no more of. */
  chains: ReadonlySet<string>
}

/** Reads the projection's map; null where there is none of this record and format, so that the record's own files are read. */
export async function readPublished(
  $: RecordFiles,
  folder: string,
  recordDir: string,
): Promise<Published | null> {
  try {
    const manifest = await readJson<ProjectionManifest>($, `${folder}/manifest.json`)
    if (manifest.format !== PROJECTION_FORMAT || manifest.recordDir !== recordDir) return null
    const roots = new Map<string, string | null>()
    for (let shard = 0; shard < manifest.shards; shard++) {
      const map = await readJson<SessionMapShard>($, `${folder}/sessions-${shard}.json`)
      if (map.format !== PROJECTION_FORMAT) return null
      for (const [sessionId, root] of Object.entries(map.roots)) roots.set(sessionId, root)
    }
    const chains = new Set([...roots.values()].filter(root => root !== null))
    return { folder, indexedAt: manifest.indexedAt, roots, chains }
  } catch {
    return null
  }
}

/**
 * Reads the facts of one published chain.
 *
 * @throws where the file is missing, does not parse or has another format: a new projection is being written
 */
export async function readPublishedChain(
  $: RecordFiles,
  published: Published,
  root: string,
): Promise<ChainProjection> {
  const chain = await readJson<ChainProjection>($, `${published.folder}/chains/${root}.json`)
  if (chain.format !== PROJECTION_FORMAT || chain.root !== root)
    throw new Error(`not the projection of ${root}`)
  return chain
}

async function readJson<T>($: RecordFiles, path: string): Promise<T> {
  return JSON.parse(await $.fs.read(path)) as T
}
