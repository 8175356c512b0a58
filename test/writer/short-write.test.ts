import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildSync } from 'esbuild'
import { beforeAll, describe, expect, test } from 'vitest'
import { sharedTempFolder, tempFolder } from '../support/temp-folder.ts'

/** The largest file that the writer's process may make: the system takes the part of a write that fits. */
const LARGEST = 1024

const folder = sharedTempFolder()
const program = join(folder, 'write.mjs')

beforeAll(() => {
  const writer = resolve(import.meta.dirname, '../../src/writer')
  const source = join(folder, 'write.ts')
  writeFileSync(
    source,
    `import { entryWriter } from ${JSON.stringify(join(writer, 'entry-writer.ts'))}
     import { nodeStorage } from ${JSON.stringify(join(writer, 'node-storage.ts'))}
     const [recordDir, part] = process.argv.slice(2)
     const entry = { kind: 'chain', sessionId: 's', at: '2026-11-01T10:00:00.000Z', cwd: '/', parent: 'p', part }
     const result = await entryWriter({ recordDir, storage: nodeStorage, sequence: () => 'a' }).write(entry)
     process.stdout.write(JSON.stringify(result))`,
  )
  buildSync({ entryPoints: [source], outfile: program, bundle: true, format: 'esm', platform: 'node' })
})

/** Writes an entry with this part in a process that may make no larger file than the limit. */
function write(part: string) {
  const recordDir = tempFolder()
  const limited = `ulimit -f ${LARGEST / 512}; exec "$0" "$@"`
  const { stdout } = spawnSync('sh', ['-c', limited, process.execPath, program, recordDir, part], {
    encoding: 'utf8',
  })
  const [name] = readdirSync(join(recordDir, 's')) as [string]
  return { result: JSON.parse(stdout) as object, path: join(recordDir, 's', name) }
}

describe('rule.recordingMayFail: a disk that takes a part of a write', () => {
  test.each([
    ['letters of one byte', 'x'.repeat(2000)],
    ['fewer letters than bytes', 'ä'.repeat(800)],
  ])('%s: degraded, and what is there stays as it is', (_, part) => {
    const { result, path } = write(part)
    expect(result).toEqual({ degraded: expect.stringMatching(/^wrote 1024 of \d{4} bytes: /) })
    expect(statSync(path).size).toBe(LARGEST)
  })

  test('what fits is written', () => {
    const { result, path } = write('ä'.repeat(400))
    expect(result).toHaveProperty('file')
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ part: 'ä'.repeat(400) })
  })
})
