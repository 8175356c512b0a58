import { join } from 'node:path'
import type { ChainTree } from '../../src/chain/chain-tree.ts'
import { placeOf } from '../../src/indexer/place.ts'
import { refreshIndex } from '../../src/indexer/refresh-index.ts'
import { readChains } from '../../src/query/read-chains.ts'
import { openIndex } from '../../src/sqlite/read-index.ts'

/** The tree of a record, by way of a real index of its own and without a process for it; of one session's chain where one is named. */
export async function treeInProcess(
  place: { dir: string; record: { dir: string } },
  sessionId?: string,
): Promise<ChainTree> {
  const own = placeOf(place.record.dir, join(place.dir, 'cache-in-process'))
  await refreshIndex(own)
  const db = await openIndex(own.indexPath, own.recordDir)
  try {
    return readChains(db, sessionId)
  } finally {
    db.close()
  }
}
