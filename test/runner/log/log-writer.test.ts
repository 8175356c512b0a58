import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { RunEvent } from '../../../src/runner/log/event.ts'
import { continueLog, newLog } from '../../../src/runner/log/log-writer.ts'
import { readLog } from '../../../src/runner/log/read-log.ts'
import { isLinux, onlyWhere } from '../../support/only-where.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** A disk that takes so much of a write at once and so much in all, and tells what it is asked for. */
const disk = vi.hoisted(() => ({ atOnce: 1e9, left: 1e9, done: [] as string[] }))

vi.mock('node:fs', async original => {
  const fs = await original<typeof import('node:fs')>()
  return {
    ...fs,
    writeSync(file: number, bytes: Buffer, from = 0) {
      if (disk.left === 0) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' })
      const taken = fs.writeSync(file, bytes, from, Math.min(bytes.length - from, disk.atOnce, disk.left))
      disk.left -= taken
      disk.done.push('write')
      return taken
    },
    fsyncSync(file: number) {
      disk.done.push('sync')
      fs.fsyncSync(file)
    },
  }
})

beforeEach(() => Object.assign(disk, { atOnce: 1e9, left: 1e9, done: [] }))

const STARTED = {
  ...{ event: 'run_started', run_id: 'r', chain: 'c', chain_version: '1', chain_path: '/c', project: '/p' },
  ...{ yaml: '', yaml_sha256: '', primary: 'claude', jobs: 1, inputs: {}, files: {}, authors: {} },
} as unknown as RunEvent
const warning = (text: string): RunEvent => ({ event: 'warning', step: null, text })
const logPath = () => join(tempFolder(), 'logs/x.jsonl')

describe('rule.auditLog: a line is on the disk, whole, before anything follows from it', () => {
  test.each<RunEvent>([
    STARTED,
    warning('x'),
    { event: 'decision', step: 's', decision: 'halt', by: 'option' },
    { event: 'escalated', step: 's', reason: 'r', refused: false },
    { event: 'run_interrupted', signal: 'SIGINT' },
    { event: 'step_cut_off', step: 's', attempt: 1 },
    { event: 'command_ended', step: 's', gate: 0 },
    { event: 'run_resumed', session_id: null, torn_bytes: 0, torn_sha256: null },
  ])('$event is synced', event => {
    const log = newLog(logPath())
    disk.done.length = 0
    log.append(event)
    expect(disk.done).toEqual(['write', 'sync'])
    log.close()
  })

  test('lines follow each other, also where the disk takes a few bytes at once', () => {
    disk.atOnce = 7
    const path = logPath()
    const log = newLog(path)
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600)
    const before = log.head()
    expect(log.append(STARTED)).toMatchObject({ seq: 1, at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) })
    expect(log.append(warning('äöü'))).toMatchObject({ seq: 2, text: 'äöü' })
    log.append(warning('z'))
    const read = readLog(path)
    expect([before, read.broken, read.torn, read.events.length]).toEqual(['0'.repeat(64), null, null, 3])
    expect(read.head).toBe(log.head())
    expect(log.path).toBe(path)
    log.close()
  })

  test('what could not be written whole is taken back, and the next line follows the last whole one', () => {
    const path = logPath()
    const log = newLog(path)
    log.append(STARTED)
    const whole = readFileSync(path)
    disk.left = 20
    expect(() => log.append(warning('lost'))).toThrow(
      expect.objectContaining({ kind: 'environment', path, message: expect.stringContaining('ENOSPC') }),
    )
    expect(readFileSync(path)).toEqual(whole)
    disk.left = 1e9
    log.append(warning('kept'))
    expect(readLog(path)).toMatchObject({
      broken: null,
      events: [{}, { seq: 2, text: 'kept' }],
      head: log.head(),
    })
    log.close()
  })

  test('a log is never made where something stands, or where none can be', () => {
    const path = logPath()
    newLog(path).close()
    writeFileSync(path, 'kept')
    for (const [at, kind] of [
      [path, 'environment'],
      [join(path, 'x.jsonl'), 'environment'],
    ] as const)
      expect(() => newLog(at)).toThrow(expect.objectContaining({ kind, path: at }))
    expect(readFileSync(path, 'utf8')).toBe('kept')
  })

  test.each<[string, (path: string) => void, RegExp]>([
    ['grew', path => appendFileSync(path, 'x'), /written to by something else/],
    ['shrank', path => truncateSync(path, 5), /written to by something else/],
    ['is gone', path => rmSync(path), /was removed/],
  ])('a log that %s meanwhile takes no further line', (_, change, told) => {
    const path = logPath()
    const log = newLog(path)
    log.append(STARTED)
    change(path)
    const left = existsSync(path) ? readFileSync(path) : null
    expect(() => log.append(warning('x'))).toThrow(
      expect.objectContaining({ kind: 'check', path, message: expect.stringMatching(told) }),
    )
    expect(existsSync(path) ? readFileSync(path) : null).toEqual(left)
    log.close()
  })
})

onlyWhere(isLinux, 'looks into /proc')(
  'rule.auditLog: what is closed is closed, also where a torn end was cut off',
  () => {
    const path = logPath()
    const open = () =>
      readdirSync('/proc/self/fd').filter(fd => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`) === realpathSync(path)
        } catch {
          return false
        }
      }).length
    const log = newLog(path)
    log.append(STARTED)
    expect(open()).toBe(1)
    log.close()
    expect(open()).toBe(0)
    appendFileSync(path, '{"at":')
    const again = continueLog(readLog(path))
    expect(open()).toBe(1)
    again.close()
    expect(open()).toBe(0)
  },
)

describe('rule.resume: going on with a log', () => {
  function torn(rest: string) {
    const path = logPath()
    const log = newLog(path)
    log.append(STARTED)
    log.append(warning('one'))
    log.close()
    const whole = readFileSync(path)
    appendFileSync(path, rest)
    return { path, whole }
  }

  test.each(['', '{"at":"2026', `{"at":"${'é'.repeat(2000)}`])(
    'the torn end %j is cut off and synced',
    rest => {
      const { path, whole } = torn(rest)
      disk.done.length = 0
      const log = continueLog(readLog(path))
      expect(readFileSync(path)).toEqual(whole)
      expect(disk.done).toEqual(rest === '' ? [] : ['sync'])
      expect(log.append(warning('two'))).toMatchObject({ seq: 3 })
      expect(readLog(path)).toMatchObject({ broken: null, torn: null, head: log.head() })
      log.close()
    },
  )

  test('a log that cannot be written is a problem', () => {
    const { path } = torn('')
    const read = readLog(path)
    rmSync(path)
    mkdirSync(path)
    expect(() => continueLog(read)).toThrow(expect.objectContaining({ kind: 'environment', path }))
  })
})
