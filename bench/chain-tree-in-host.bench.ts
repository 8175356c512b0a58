import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PLUGIN, recordOf } from '../test/host/support/coordination.ts'
import { messagesApi } from '../test/host/support/messages-api.ts'
import { call, script } from '../test/host/support/model-script.ts'
import { newProfile } from '../test/host/support/profile.ts'
import { stream } from '../test/host/support/session.ts'
import { generateRecord, sessionId } from './generate-record.mjs'

/**
 * `/chain` in the real host on a record of 1,000 sessions and 20,000 entries, from plain files and through the
 * projection, in one run. Both must give the same tree; the times are printed and nothing is asserted of them.
 */
test('/chain through the projection / from plain files', async () => {
  const api = await messagesApi()
  const profile = newProfile({ api })
  const record = recordOf(profile)
  generateRecord(record, { sessions: 1_000, entries: 20_000 })
  const session = await stream({
    profile,
    pluginDirs: [PLUGIN],
    settings: { crossSessionInbound: 'accept' },
    allowedTools: ['mcp__coordination__chain_join'],
  })
  await session.ask(script(call('mcp__coordination__chain_join', { parent: sessionId(0), part: 'measure' })))
  const [fromFiles, filesMs] = await timed(() => session.ask('/chain'))

  const env = { ...process.env, ...profile.env, COORD_RECORD_DIR: record }
  const index = spawnSync(process.execPath, ['dist/coord.js', 'index', '--json'], { env, encoding: 'utf8' })
  expect(index.status, index.stderr).toBe(0)
  const [fromProjection, projectionMs] = await timed(() => session.ask('/chain'))
  await session.end()

  expect(fromProjection.result).toContain('read from the index')
  expect(treeOf(fromProjection)).toBe(treeOf(fromFiles))
  console.log(
    `/chain: ${Math.round(projectionMs)} ms through the projection / ${Math.round(filesMs)} ms from files = ${(projectionMs / filesMs).toFixed(3)}`,
  )
  rmSync(record, { recursive: true, force: true })
})

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const started = performance.now()
  const result = await work()
  return [result, performance.now() - started]
}

/** The tree without what tells how it was read and how long ago things were. */
function treeOf(result: { result?: string }): string {
  return (result.result ?? '')
    .replace(/\nread from .*/s, '')
    .replace(/last heard \S+ \([^)]*\)/g, 'last heard')
}
