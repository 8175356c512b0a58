import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { findProgram } from '../../../src/runner/processes/find-program.ts'
import { endOrphan, processIdentity } from '../../../src/runner/processes/process-identity.ts'
import { runCommand } from '../../../src/runner/processes/run-command.ts'
import { startProcess } from '../../../src/runner/processes/start-process.ts'
import { isPosix } from '../../support/only-where.ts'
import { tempFolder } from '../../support/temp-folder.ts'

function run(script: string, more: Partial<Parameters<typeof runCommand>[0]> = {}) {
  return runCommand({
    ...{ argv: ['/bin/sh', '-c', script], cwd: '/', env: { PATH: process.env.PATH }, timeoutMs: 60_000 },
    signal: new AbortController().signal,
    ...more,
  })
}

describe('rule.bounded: a command and how it ended', () => {
  beforeEach(({ skip }) => skip(!isPosix, 'commands of a POSIX system'))

  test.each<[string, string, object]>([
    ['by itself', 'echo out; echo err >&2', { exit: 0, stdout: 'out\n', stderr: 'err\n', problem: null }],
    ['with another code', 'echo out; exit 3', { exit: 3, stdout: 'out\n', problem: 'exit 3' }],
    ['by a signal', 'kill -TERM $$', { exit: 'SIGTERM', problem: 'exit SIGTERM' }],
    ['with what is not UTF-8', String.raw`printf 'a\377'`, { exit: 0, isUtf8: false, stdout: 'a\ufffd' }],
    ['with UTF-8', String.raw`printf '\303\244'`, { exit: 0, isUtf8: true, stdout: 'ä' }],
    ['without input', 'cat', { exit: 0, stdout: '' }],
  ])('%s', async (_, script, ended) => {
    expect(await run(script)).toMatchObject({ isCancelled: false, ...ended })
  })

  test('it is given its input, its folder and its variables alone', async () => {
    const cwd = tempFolder()
    const ended = await run('cat; pwd -P; echo "$A$HOME"', { stdin: 'in', cwd, env: { A: 'b' } })
    expect(ended.stdout).toBe(`in${cwd}\nb\n`)
    expect(await run('true', { stdin: 'x'.repeat(1_000_000) })).toMatchObject({ exit: 0, problem: null })
  })

  test('an answer of 1 MiB is whole, one of a byte more is none', async () => {
    const says = (bytes: number) => run(`head -c ${bytes} /dev/zero | tr '\\0' x; exit 0`)
    const whole = await says(1_048_576)
    expect([whole.problem, whole.stdout.length]).toEqual([null, 1_048_576])
    const more = await says(1_048_577)
    expect(more.problem).toBe('an answer over 1 MiB')
    expect(more.stdout.length).toBeLessThanOrEqual(1_048_576)
  })

  test('of what it says beside its answer the end is kept', async () => {
    const { stderr } = await run(`head -c 100000 /dev/zero | tr '\\0' x >&2; printf end >&2`)
    expect(stderr).toBe(`${'x'.repeat(4_093)}end`)
  })

  test('one over its time is ended, and whatever it says then is no answer', async () => {
    const ended = await run('echo begun; sleep 300 & wait', { timeoutMs: 500 })
    expect(ended).toMatchObject({ problem: 'no answer within 0.5 s', isCancelled: false })
    const heeds = await run('trap "exit 0" TERM; sleep 300 & wait', { timeoutMs: 300 })
    expect(heeds).toMatchObject({ exit: 0, problem: 'no answer within 0.3 s' })
  })

  test('one that is cancelled is ended, before it begins too', async () => {
    const stop = new AbortController()
    const ended = run('sleep 300 & wait', { signal: stop.signal, onStart: () => stop.abort() })
    expect(await ended).toMatchObject({ problem: 'cancelled', isCancelled: true })
    expect(await run('sleep 300', { signal: AbortSignal.abort() })).toMatchObject({ isCancelled: true })
  })

  test.each<[string, string[]]>([
    ['no program', ['/no/such/program']],
    ['a zero byte', ['/bin/sh', '-c', 'a\0b']],
  ])('one that cannot be started says so: %s', async (_, argv) => {
    expect(await run('', { argv })).toMatchObject({
      ...{ exit: null, stdout: '', stderr: '', isCancelled: false },
      problem: expect.stringMatching(/^not started: /),
    })
  })

  test('why it did not start is told without all of its arguments', async () => {
    for (const argv of [['/bin/sh', `a\0${'b'.repeat(5_000)}`], [`/no/${'b'.repeat(5_000)}`]]) {
      const { problem } = await run('', { argv })
      expect(problem).toMatch(/^not started: /)
      expect(problem?.length).toBeLessThan(220)
    }
  })

  test('what onStart throws ends it, and is what is told', async () => {
    let pid = 0
    // Only what this is about may end it: neither its own time nor a signal.
    const fails = run('sleep 300', {
      timeoutMs: 600_000,
      onStart(id) {
        pid = id
        throw new Error('no line')
      },
    })
    await expect(fails).rejects.toThrow('no line')
    expect(() => process.kill(pid, 0)).toThrow()
  }, 30_000)

  test('all that it started is ended with it', async () => {
    const started = startProcess({
      ...{ argv: ['/bin/sh', '-c', 'sleep 300 & echo $!; wait'], cwd: '/', env: { PATH: process.env.PATH } },
      hasInput: false,
    })
    const child = await new Promise<number>(done => started.stdout?.on('data', part => done(Number(part))))
    started.end()
    started.end()
    expect(await started.ended).toEqual({ exit: 'SIGTERM' })
    await expect.poll(() => processIdentity(child)).toBeNull()
    expect(started.stdin).toBeNull()
  })
})

describe('rule.resume: a process is known by its beginning', () => {
  beforeEach(({ skip }) => skip(process.platform !== 'linux', 'the files of /proc'))

  test('only what it was is ended', async () => {
    let pid = 0
    let identity: string | null = null
    const ended = run('sleep 300 & wait', {
      onStart(id) {
        pid = id
        identity = processIdentity(id)
        expect(identity).toMatch(/^[0-9a-f-]{36}:\d+$/)
        expect(identity).not.toBe(processIdentity(process.pid))
        expect([endOrphan(id, null), endOrphan(id, `${identity}0`)]).toEqual([false, false])
        expect(endOrphan(id, identity)).toBe(true)
      },
    })
    expect(await ended).toMatchObject({ exit: 'SIGKILL' })
    expect([processIdentity(pid), endOrphan(pid, identity)]).toEqual([null, false])
  })

  test('where it is not known when it began nothing of its group is ended', async () => {
    let leader = 0
    const { stdout } = await run('sleep 300 >/dev/null 2>&1 & echo $!', { onStart: pid => (leader = pid) })
    const left = Number(stdout)
    expect([processIdentity(leader), endOrphan(leader, null)]).toEqual([null, false])
    expect(processIdentity(left)).not.toBeNull()
    process.kill(left, 'SIGKILL')
  })

  test('a name with brackets and blanks hides nothing', async () => {
    const path = join(tempFolder(), 'a) S 1 2 (b')
    symlinkSync('/bin/sleep', path)
    let at: string | null = null
    let plain: string | null = null
    const stop = new AbortController()
    const started = (pid: number) => {
      at = processIdentity(pid)
      plain = processIdentity(process.pid)
      stop.abort()
    }
    await run('', { argv: [path, '300'], signal: stop.signal, onStart: started })
    const when = (identity: string | null) => Number(identity?.split(':')[1])
    expect(when(at)).toBeGreaterThan(when(plain))
  })
})

describe('rule.agents: where a program lies', () => {
  beforeEach(({ skip }) => skip(!isPosix, 'rights of a POSIX system'))

  test('the first in PATH that is a program', () => {
    const dir = tempFolder()
    for (const name of ['one', 'two', 'three']) mkdirSync(join(dir, name))
    const put = (path: string, mode: number) => {
      writeFileSync(join(dir, path), '')
      chmodSync(join(dir, path), mode)
    }
    put('one/tool', 0o644)
    put('two/tool', 0o755)
    put('three/tool', 0o755)
    mkdirSync(join(dir, 'one/folder'))
    const env = { PATH: ['', '.', 'two', join(dir, 'one'), join(dir, 'two'), join(dir, 'three')].join(':') }
    expect(findProgram('tool', env)).toBe(join(dir, 'two/tool'))
    for (const word of ['folder', 'other', './tool', 'two/tool', '../tool', 'a\\tool'])
      expect(findProgram(word, env)).toBeNull()
    expect(findProgram(join(dir, 'two/tool'), {})).toBe(join(dir, 'two/tool'))
    for (const path of ['one/tool', 'one/folder', 'no']) expect(findProgram(join(dir, path), env)).toBeNull()
    expect(findProgram('tool', {})).toBeNull()
    expect(findProgram('tool', { PATH: relative(process.cwd(), join(dir, 'two')) })).toBeNull()
  })
})
