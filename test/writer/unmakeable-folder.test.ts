import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildSync } from 'esbuild'
import { expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'

/**
 * In a process of its own: Node's recursive mkdir never ends where a folder answers ENOENT to every new name in it,
 * as /proc does, and a thread that turns for ever cannot be stopped from within.
 */
test('rule.recordingMayFail: a record folder where nothing can be made delays nothing', () => {
  const folder = tempFolder()
  const writer = resolve(import.meta.dirname, '../../src/writer')
  writeFileSync(
    join(folder, 'write.ts'),
    `import { entryWriter } from ${JSON.stringify(join(writer, 'entry-writer.ts'))}
     import { nodeStorage } from ${JSON.stringify(join(writer, 'node-storage.ts'))}
     const entry = { kind: 'start', sessionId: 's', at: '2026-11-01T10:00:00.000Z', cwd: '/', host: 'h', version: '1', inbound: 'accept' }
     const recordDir = '/proc/coordination/record'
     const result = await entryWriter({ recordDir, storage: nodeStorage, sequence: () => 'a' }).write(entry)
     console.log(JSON.stringify(result))`,
  )
  const program = join(folder, 'write.mjs')
  buildSync({
    entryPoints: [join(folder, 'write.ts')],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
  })
  const { stdout, signal } = spawnSync(process.execPath, [program], {
    encoding: 'utf8',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  })
  expect(signal, 'the writer hangs').toBeNull()
  expect(JSON.parse(stdout)).toEqual({ degraded: expect.stringMatching(/\S/) })
})
