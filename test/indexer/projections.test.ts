import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { chainTree } from '../../src/chain/chain-tree.ts'
import {
  type ChainProjection,
  type ProjectionManifest,
  type SessionMapShard,
  shardOf,
} from '../../src/chain/projection.ts'
import { isTemporaryName } from '../../src/files/whole-file.ts'
import { placeOf } from '../../src/indexer/place.ts'
import { refreshIndex } from '../../src/indexer/refresh-index.ts'
import { at, recordBuilder, resolved } from '../support/record-builder.ts'
import { tempFolder } from '../support/temp-folder.ts'

function recordOfTwoChains() {
  const dir = tempFolder()
  const record = recordBuilder(join(dir, 'record'))
  const place = placeOf(record.dir, join(dir, 'cache'))
  record.start('top', at(0))
  record.start('lead', at(1))
  record.chain('lead', 'top', 'parse', at(2))
  record.start('far', at(3))
  record.chain('far', 'elsewhere', 'port', at(4))
  record.start('alone', at(5))
  return { record, place }
}

function read<T>(folder: string, name: string): T {
  return JSON.parse(readFileSync(join(folder, name), 'utf8')) as T
}

describe('ruling 3: the projection that the mod reads', () => {
  it('leads from a session to its root and to the facts of its whole chain', async () => {
    const { record, place } = recordOfTwoChains()
    await refreshIndex(place)
    const manifest = read<ProjectionManifest>(place.projectionDir, 'manifest.json')
    expect(manifest).toMatchObject({ format: 2, recordDir: record.dir })
    const shard = read<SessionMapShard>(
      place.projectionDir,
      `sessions-${shardOf('lead', manifest.shards)}.json`,
    )
    expect(shard.roots).toEqual({ top: 'top', lead: 'top', far: 'elsewhere', alone: null })
    const chain = read<ChainProjection>(place.projectionDir, 'chains/top.json')
    const { chains } = chainTree(chain.sessions, chain.unknown)
    expect(chains).toMatchObject([
      { sessionId: 'top', children: [{ sessionId: 'lead', part: 'parse', sentParentSinceJoin: 'no' }] },
    ])
  })

  it('names the newest file that each session’s facts hold', async () => {
    const { record, place } = recordOfTwoChains()
    const newest = record.sent('lead', resolved('top'), 'done', at(9))
    await refreshIndex(place)
    const { sessions } = read<ChainProjection>(place.projectionDir, 'chains/top.json')
    expect(`lead/${sessions.find(({ sessionId }) => sessionId === 'lead')?.newestName}`).toBe(newest)
  })

  it('carries unknown evidence, so that the mod does not say "no" where a file may hide a message', async () => {
    const { record, place } = recordOfTwoChains()
    const file = record.raw('lead', '2026-11-01T110000.000Z-torn.json', '{"kind":')
    await refreshIndex(place)
    const { sessions, unknown } = read<ChainProjection>(place.projectionDir, 'chains/top.json')
    expect(unknown).toEqual([{ sessionId: 'lead', at: '2026-11-01T11:00:00.000Z', file }])
    expect(chainTree(sessions, unknown).chains[0]?.children[0]?.sentParentSinceJoin).toBe('unknown')
  })

  it('moves a session to another chain when it joins again, and drops a chain that is no more', async () => {
    const { record, place } = recordOfTwoChains()
    await refreshIndex(place)
    record.chain('far', 'lead', 'port', at(20))
    await refreshIndex(place)
    expect(readdirSync(join(place.projectionDir, 'chains'))).toEqual(['top.json'])
    expect(read<SessionMapShard>(place.projectionDir, 'sessions-0.json').roots.far).toBe('top')
  })

  it('rewrites only the files of the chains that changed', async () => {
    const { record, place } = recordOfTwoChains()
    await refreshIndex(place)
    const inode = (name: string) => statSync(join(place.projectionDir, 'chains', name)).ino
    const before = { top: inode('top.json'), elsewhere: inode('elsewhere.json') }
    record.sent('far', 'somebody', 'hello', at(30))
    await refreshIndex(place)
    expect(inode('top.json')).toBe(before.top)
    expect(inode('elsewhere.json')).not.toBe(before.elsewhere)
  })

  it('is published again where it was deleted, damaged or left behind by a kill', async () => {
    const { place } = recordOfTwoChains()
    await refreshIndex(place)
    rmSync(join(place.projectionDir, 'manifest.json'))
    rmSync(join(place.projectionDir, 'chains'), { recursive: true })
    await refreshIndex(place)
    expect(readdirSync(join(place.projectionDir, 'chains')).sort()).toEqual(['elsewhere.json', 'top.json'])
    expect(readdirSync(place.projectionDir).filter(name => name.endsWith('.tmp'))).toEqual([])
  })

  it('takes away what a killed publisher left, and not what another may be writing now', async () => {
    const { record, place } = recordOfTwoChains()
    await refreshIndex(place)
    const folders = [place.projectionDir, join(place.projectionDir, 'chains')]
    const temporary = (name: string) => `.${name}.json.0123456789abcdef.tmp`
    for (const folder of folders) {
      for (const name of ['killed', 'at-work']) writeFileSync(join(folder, temporary(name)), 'half')
      utimesSync(join(folder, temporary('killed')), new Date(0), new Date(0))
    }
    record.sent('far', 'somebody', 'hello', at(30))
    await refreshIndex(place)
    for (const folder of folders)
      expect(readdirSync(folder).filter(isTemporaryName)).toEqual([temporary('at-work')])
  })

  it('publishes a cycle under its smallest id, with what hangs below it', async () => {
    const { record, place } = recordOfTwoChains()
    record.chain('top', 'lead', 'round', at(40))
    await refreshIndex(place)
    const { sessions } = read<ChainProjection>(place.projectionDir, 'chains/lead.json')
    expect(chainTree(sessions).cycles).toEqual([['lead', 'top']])
    expect(existsSync(join(place.projectionDir, 'chains/top.json'))).toBe(false)
  })
})

describe('a chain that needs more than the host reads at a time', () => {
  it('is not published, and its sessions are in no map, so that the mod reads their files', async () => {
    const { record, place } = recordOfTwoChains()
    for (let number = 0; number < 5; number++)
      record.chain(`big${number}`, 'top', 'p'.repeat(1_000_000), at(50 + number))
    const notes: string[] = []
    await refreshIndex(place, { report: { note: text => notes.push(text) } })
    expect(notes.join()).toContain('too large to publish')
    expect(readdirSync(join(place.projectionDir, 'chains'))).toEqual(['elsewhere.json'])
    expect(read<SessionMapShard>(place.projectionDir, 'sessions-0.json').roots).toEqual({
      far: 'elsewhere',
      alone: null,
    })
  })
})
