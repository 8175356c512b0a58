import { expect, test, vi } from 'vitest'

/** What was done to files, in order: `write` with its text, `sync`. */
const done = vi.hoisted(() => [] as string[])

vi.mock('node:fs', async original => {
  const fs = await original<typeof import('node:fs')>()
  return {
    ...fs,
    writeSync: (file: number, bytes: Buffer, from: number) => {
      done.push(`write ${bytes.subarray(from).toString().endsWith('\n') ? 'line' : 'part'}`)
      return fs.writeSync(file, bytes, from)
    },
    fsyncSync: (file: number) => {
      done.push('sync')
      fs.fsyncSync(file)
    },
  }
})

test('rule.auditLog: each line is one write, and is synced before anything follows from it', async () => {
  const { bench, chainOf } = await import('./support/bench.ts')
  const here = bench()
  const seen: string[] = []
  const { events } = await here.run(chainOf([{}, {}]), { onEvent: () => seen.push(done.slice(-2).join(' ')) })
  expect(seen).toEqual(events.map(() => 'write line sync'))
  // The folder of a new log too, so that the name outlives a crash of the machine.
  expect(done.filter(what => what === 'sync')).toHaveLength(
    events.length + (process.platform === 'win32' ? 0 : 1),
  )
})
