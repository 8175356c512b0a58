import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { type Lock, tryLock, waitForLock } from '../../src/lock/lock.ts'
import { killedWithLock, lockHolder } from '../support/lock-holder.ts'
import { tempFolder } from '../support/temp-folder.ts'

const here = () => join(tempFolder(), 'some.lock')

/** A program that takes the lock so often, and each time counts one more in a file, which two at once would do wrong. */
async function contender(dir: string): Promise<string> {
  const program = join(dir, 'contender.mjs')
  symlinkSync(resolve(import.meta.dirname, '../../node_modules'), join(dir, 'node_modules'))
  await build({
    stdin: {
      contents: `
        import { readFileSync, writeFileSync } from 'node:fs'
        import { dirname } from 'node:path'
        import { tryLock } from './src/lock/lock.ts'
        const [path, times] = process.argv.slice(2)
        const count = dirname(path) + '/count'
        for (let done = 0; done < Number(times); ) {
          const lock = tryLock(path)
          if (lock === null) {
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
            continue
          }
          writeFileSync(count, String(Number(readFileSync(count, 'utf8')) + 1))
          lock.release({ remove: true })
          done += 1
        }`,
      resolveDir: resolve(import.meta.dirname, '../..'),
      loader: 'ts',
    },
    bundle: true,
    outfile: program,
    format: 'esm',
    platform: 'node',
    external: ['better-sqlite3'],
    logLevel: 'warning',
  })
  return program
}

describe('a lock', () => {
  it('is one at a time, in one process too, and leaves its file empty', () => {
    const path = here()
    const lock = tryLock(path) as Lock
    expect(tryLock(path)).toBeNull()
    expect(statSync(path).size).toBe(0)
    lock.release()
    expect(existsSync(path)).toBe(true)
    ;(tryLock(path) as Lock).release({ remove: true })
    expect(existsSync(path)).toBe(false)
  })

  it('is refused while another process has it, and free as soon as that process is killed', async () => {
    const path = here()
    const holder = await lockHolder(path)
    expect(tryLock(path)).toBeNull()
    await holder.kill()
    expect(tryLock(path)).not.toBeNull()
  })

  it('that a killed process left is never had by two processes at once, though each removes its file', async () => {
    const dir = tempFolder()
    const path = join(dir, 'some.lock')
    await killedWithLock(path)
    writeFileSync(join(dir, 'count'), '0')
    const program = await contender(dir)
    const run = promisify(execFile)
    await Promise.all(Array.from({ length: 4 }, () => run(process.execPath, [program, path, '50'])))
    expect(readFileSync(join(dir, 'count'), 'utf8')).toBe('200')
    expect(existsSync(path)).toBe(false)
  })

  it('that is not to be had in time is none, and the wait is told', async () => {
    const path = here()
    const lock = tryLock(path) as Lock
    let told = 0
    expect(await waitForLock(path, { giveUpMs: 1_500, onWait: () => void told++ })).toBeNull()
    expect(told).toBeGreaterThanOrEqual(1)
    lock.release()
  })

  it('is not taken on a file that is no lock, which stays as it is', () => {
    const path = here()
    writeFileSync(path, 'notes of somebody\n')
    expect(() => tryLock(path)).toThrow(`${path} is no lock of coord`)
    expect(readFileSync(path, 'utf8')).toBe('notes of somebody\n')
  })
})

describe('what waits for a lock', () => {
  it('looks once also where it may not wait, and has it where it is free', async () => {
    const path = here()
    const lock = tryLock(path) as Lock
    expect(await waitForLock(path, { giveUpMs: -1 })).toBeNull()
    lock.release()
    const free = await waitForLock(path, { giveUpMs: -1 })
    expect(free).not.toBeNull()
    expect(tryLock(path)).toBeNull()
    free?.release()
  })

  it('has it as soon as it is given back, with or without its file, and is told of no wait before a second', async () => {
    for (const remove of [false, true]) {
      const path = here()
      const lock = tryLock(path) as Lock
      let told = 0
      const waiting = waitForLock(path, { giveUpMs: 60_000, onWait: () => void told++ })
      lock.release({ remove })
      const mine = await waiting
      expect(mine).not.toBeNull()
      expect(tryLock(path)).toBeNull()
      mine?.release({ remove: true })
      expect([told, existsSync(path)]).toEqual([0, false])
    }
  })

  it('does not wait where the file is no lock, or the folder is not there', async () => {
    const path = here()
    writeFileSync(path, 'notes of somebody\n')
    await expect(waitForLock(path, { giveUpMs: 60_000 })).rejects.toMatchObject({
      ...{ kind: 'failed', path, hint: `move ${path} away` },
    })
    await expect(waitForLock(join(path, 'x'), { giveUpMs: 60_000 })).rejects.toThrow()
  })
})

it('a file that took the place of a lock’s is another lock, and giving the old one back leaves it free', () => {
  const path = here()
  const old = tryLock(path) as Lock
  rmSync(path)
  const next = tryLock(path) as Lock
  expect(next).not.toBeNull()
  old.release()
  expect(tryLock(path)).toBeNull()
  next.release()
})

it('leaves no file open that is no lock', () => {
  const path = here()
  writeFileSync(path, 'notes of somebody\n')
  const before = readdirSync('/dev/fd').length
  expect(() => tryLock(path)).toThrow()
  expect(readdirSync('/dev/fd')).toHaveLength(before)
})
