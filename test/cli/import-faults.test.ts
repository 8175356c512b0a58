import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Outcome, type Place, place } from '../support/coord.ts'
import { filesIn } from '../support/files.ts'
import { onlyWhere } from '../support/only-where.ts'
import { at, fileName, type RecordBuilder, recordBuilder } from '../support/record-builder.ts'
import { withoutRootRights } from '../support/without-root-rights.ts'

/** A place with a session of its own, and a record to import with two sessions of two entries each. */
function twoMachines(): { here: Place; there: RecordBuilder } {
  const here = place()
  const there = recordBuilder(join(here.dir, 'there'))
  here.record.start('mine', at(0))
  for (const session of ['s1', 's2']) for (const second of [1, 2]) there.start(session, at(second))
  return { here, there }
}

function tar(folder: string, file: string, ...what: string[]): string {
  const { status, stderr } = spawnSync('tar', ['-C', folder, '-cf', file, ...what], { encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  return file
}

function fifo(path: string): string {
  expect(spawnSync('mkfifo', [path]).status).toBe(0)
  return path
}

/** One error object and nothing else, and the record as it was. */
function expectRefused(outcome: Outcome, code: number, kind: string): void {
  expect(outcome.stdout).toBe('')
  expect(outcome.error().kind).toBe(kind)
  expect(outcome.stderr.trimEnd().split('\n')).toHaveLength(1)
  expect(outcome.code).toBe(code)
}

const reasons = (outcome: Outcome): string[] =>
  outcome.json().skipped.map((one: { reason: string }) => one.reason)

describe('a source is looked at before anything is copied from any', () => {
  const bad: [string, (here: Place, there: RecordBuilder) => string, string][] = [
    ['that is not there', here => join(here.dir, 'nothing'), 'not-found'],
    [
      'that is a link to nothing',
      here => {
        symlinkSync(join(here.dir, 'nothing'), join(here.dir, 'link'))
        return join(here.dir, 'link')
      },
      'not-found',
    ],
    [
      'that holds no record',
      here => {
        mkdirSync(join(here.dir, 'empty', 'folder'), { recursive: true })
        return join(here.dir, 'empty')
      },
      'record',
    ],
    [
      'that is a tar without a record',
      here => {
        mkdirSync(join(here.dir, 'empty', 'folder'), { recursive: true })
        return tar(here.dir, join(here.dir, 'empty.tar'), 'empty')
      },
      'record',
    ],
    ['that is a pipe', here => fifo(join(here.dir, 'pipe')), 'record'],
    ['that is a device', () => '/dev/zero', 'record'],
    [
      'that is a tar cut off in an entry',
      (here, there) => {
        const file = tar(there.dir, join(here.dir, 'cut.tar'), '.')
        truncateSync(file, 1024 + 600)
        return file
      },
      'record',
    ],
    [
      'that is a tar cut off between two entries',
      (here, there) => {
        const file = tar(there.dir, join(here.dir, 'cut.tar'), '.')
        const bytes = readFileSync(file)
        const end = bytes.lastIndexOf('ustar') - 257
        truncateSync(file, end)
        return file
      },
      'record',
    ],
    ['that is the record', here => here.record.dir, 'record'],
    ['that lies in the record', here => join(here.record.dir, 'mine'), 'record'],
  ]

  test.each(bad)('one %s', async (_, make, kind) => {
    const { here, there } = twoMachines()
    const source = make(here, there)
    const before = filesIn(here.record.dir)
    for (const sources of [
      [there.dir, source],
      [source, there.dir],
    ])
      expectRefused(await here.run('import', ...sources, '--json'), 1, kind)
    expect(filesIn(here.record.dir)).toEqual(before)
    expect(readdirSync(here.record.dir)).toEqual(['mine'])
    const text = await here.run('import', source)
    expect(text.stderr).not.toMatch(/^\s+at |node:/m)
  })

  test.each([
    ['a session’s folder of it', 's1'],
    ['a new folder in it', 'new/record'],
    ['a folder in it, by a link', '../link/s1'],
  ])('one around the record: %s', async (_, record) => {
    const { here, there } = twoMachines()
    symlinkSync(there.dir, join(here.dir, 'link'))
    const before = filesIn(there.dir)
    for (const source of [there.dir, join(here.dir, 'link')])
      expectRefused(
        await here.run('import', source, '--record-dir', join(there.dir, record), '--json'),
        1,
        'record',
      )
    expect(filesIn(there.dir)).toEqual(before)
    expect(readdirSync(there.dir).sort()).toEqual(['s1', 's2'])
  })

  test('a folder beside the record whose name begins like it, or with dots, is apart from it', async () => {
    const { here, there } = twoMachines()
    for (const name of ['record2', '..record']) {
      cpSync(there.dir, join(here.dir, name), { recursive: true })
      expect((await here.run('import', join(here.dir, name))).code).toBe(0)
    }
  })
})

describe('a record with an entry beside its session folders', () => {
  test.each([
    ['in a folder', (folder: string) => folder],
    ['in a tar', (folder: string) => tar(join(folder, '..'), `${folder}.tar`, basename(folder))],
    ['in a tar of its content', (folder: string) => tar(folder, `${folder}.tar`, '.')],
  ])('%s: the sessions are copied, and the loose file is told of', async (_, source) => {
    const { here, there } = twoMachines()
    const loose = fileName(at(5), 'loose')
    writeFileSync(join(there.dir, loose), '{}')
    const outcome = await here.run('import', source(there.dir), '--json')
    expect(outcome.code).toBe(8)
    expect(outcome.json()).toMatchObject({ added: 4, same: 0, conflicts: [] })
    expect(outcome.json().skipped).toEqual([
      { path: expect.stringContaining(loose), reason: expect.stringContaining('session’s folder') },
    ])
    expect(readdirSync(here.record.dir).sort()).toEqual(['mine', 's1', 's2'])
  })

  test('also where the session’s folder cannot be looked into', async () => {
    const { here, there } = twoMachines()
    rmSync(there.path('s2'), { recursive: true })
    writeFileSync(join(there.dir, fileName(at(5), 'loose')), '{}')
    chmodSync(there.path('s1'), 0)
    const outcome = await here.runWith({ under: withoutRootRights }, 'import', there.dir, '--json')
    expect(outcome.code).toBe(8)
    expect(reasons(outcome)).toHaveLength(2)
    expect(readdirSync(here.record.dir)).toEqual(['mine'])
  })

  test('one session’s folder stays one, whatever else lies in it, and by whatever name it is called', async () => {
    const { here, there } = twoMachines()
    mkdirSync(there.path('s1/notes'))
    writeFileSync(there.path('s1/notes/x.txt'), '')
    mkdirSync(there.path(`s1/${fileName(at(9), 'folder')}`))
    symlinkSync(there.path('s1'), join(here.dir, 'latest'))
    const outcome = await here.run('import', join(here.dir, 'latest'), '--json')
    expect(outcome.json()).toMatchObject({ added: 2, skipped: [{ reason: 'not a file, never read' }] })
    expect(readdirSync(here.record.dir).sort()).toEqual(['mine', 's1'])
  })
})

describe('what stands in the record is never written through', () => {
  test.each([
    ['a link to a folder', (path: string, outside: string) => symlinkSync(outside, path)],
    ['a link to nothing', (path: string, outside: string) => symlinkSync(join(outside, 'x'), path)],
    ['a file', (path: string) => writeFileSync(path, '')],
    ['a pipe', (path: string) => void fifo(path)],
  ])('%s in a session folder’s place is told of, and the rest is copied', async (_, plant) => {
    const { here, there } = twoMachines()
    const outside = join(here.dir, 'outside')
    mkdirSync(outside)
    plant(join(here.record.dir, 's1'), outside)
    for (const source of [there.dir, tar(there.dir, join(here.dir, 'record.tar'), '.')]) {
      const outcome = await here.run('import', source, '--json')
      expect(outcome.code).toBe(8)
      expect(outcome.json().added + outcome.json().same).toBe(2)
      expect(reasons(outcome)).toHaveLength(2)
    }
    expect(readdirSync(outside)).toEqual([])
  })

  test('the next import removes what a killed one has left, and a dry run does not', async () => {
    const { here, there } = twoMachines()
    const left = here.record.path(here.record.raw('mine', `.import-${'0'.repeat(32)}`, 'torn'))
    utimesSync(left, new Date(0), new Date(0))
    await here.run('import', there.dir, '--dry-run')
    expect(existsSync(left)).toBe(true)
    await here.run('import', there.dir)
    expect(existsSync(left)).toBe(false)
  })
})

test('imports at once: all succeed, each file is added once, and a conflict is kept once', async () => {
  const here = place()
  const [one, two] = [recordBuilder(join(here.dir, 'one')), recordBuilder(join(here.dir, 'two'))]
  for (let index = 0; index < 150; index += 1) {
    one.raw(`s${index % 3}`, fileName(at(index), 'x'), `{"same":${index}}`)
    two.raw(`s${index % 3}`, fileName(at(index), 'x'), index % 10 ? `{"same":${index}}` : '{"other":1}')
  }
  const outcomes = await Promise.all([one, two, one, two].map(({ dir }) => here.run('import', dir, '--json')))
  for (const outcome of outcomes) {
    expect(outcome.code, outcome.stderr).toBe(0)
    expect(outcome.json().skipped).toBeUndefined()
  }
  const files = filesIn(here.record.dir)
  expect(outcomes.reduce((sum, outcome) => sum + outcome.json().added, 0)).toBe(150)
  expect(Object.keys(files)).toHaveLength(165)
  expect(readdirSync(join(here.record.dir, 's0')).filter(name => name.startsWith('.'))).toEqual([])
})

describe('one bad file does not end an import', () => {
  test('files that cannot be read, in one of several sources', async () => {
    const { here, there } = twoMachines()
    const more = recordBuilder(join(here.dir, 'more'))
    more.start('s3', at(0))
    chmodSync(there.path(there.raw('s1', fileName(at(8), 'closed'), '{}')), 0)
    symlinkSync('/etc/passwd', there.path(`s1/${fileName(at(9), 'link')}`))
    mkdirSync(there.path('s0'))
    chmodSync(there.path('s0'), 0)
    const outcome = await here.runWith({ under: withoutRootRights }, 'import', there.dir, more.dir, '--json')
    expect(outcome.code).toBe(8)
    expect(outcome.json().added).toBe(5)
    expect(reasons(outcome)).toHaveLength(3)
  })

  test('a file of the record that cannot be compared', async () => {
    const { here, there } = twoMachines()
    const name = fileName(at(8), 'closed')
    there.raw('s1', name, '{}')
    chmodSync(here.record.path(here.record.raw('s1', name, '{}')), 0)
    const outcome = await here.runWith({ under: withoutRootRights }, 'import', there.dir, '--json')
    expect(outcome.code).toBe(8)
    expect(outcome.json().added).toBe(4)
    expect(reasons(outcome)).toEqual([expect.stringContaining('EACCES')])
  })

  test.each(['a file', 'a folder'])('%s of a tar whose name no file can have', async what => {
    const { here, there } = twoMachines()
    const from = what === 'a file' ? 's1/.*-000001[.]json' : 's1/'
    const long = 'x'.repeat(300)
    const to = what === 'a file' ? `s1/${fileName(at(0), long)}` : `${long}/`
    const file = join(here.dir, 'long.tar')
    tar(there.dir, file, '--transform', `s,^${from},${to},`, 's1', 's2')
    const dry = await here.run('import', file, '--dry-run', '--json')
    const outcome = await here.run('import', file, '--json')
    expect(outcome.code).toBe(8)
    const skipped = what === 'a file' ? 1 : 2
    expect(outcome.json().added).toBe(4 - skipped)
    expect(reasons(outcome)).toHaveLength(skipped)
    expect(dry.json()).toEqual(outcome.json())
  })
})

describe('a record that cannot be written ends the import with one problem', () => {
  const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0
  const sources: [string, (here: Place, there: RecordBuilder) => string][] = [
    ['a folder', (_, there) => there.dir],
    ['a tar', (here, there) => tar(there.dir, join(here.dir, 'record.tar'), '.')],
  ]

  test.each(sources)('for want of rights, from %s', async (_, source) => {
    const { here, there } = twoMachines()
    const path = source(here, there)
    chmodSync(here.record.dir, 0o500)
    const outcome = await here.runWith({ under: withoutRootRights }, 'import', path, '--json')
    chmodSync(here.record.dir, 0o700)
    expectRefused(outcome, 3, 'environment')
    expect(readdirSync(here.record.dir)).toEqual(['mine'])
  })

  onlyWhere(canMount, 'may mount no file system').each(sources)(
    'on a full disk, from %s: what was copied is whole',
    async (_, source) => {
      const { here, there } = twoMachines()
      const kept = join(here.dir, 'kept')
      for (let index = 0; index < 40; index += 1)
        there.raw('s1', fileName(at(index), 'x'), `${index}`.repeat(9000))
      const path = source(here, there)
      const script = 'mount -t tmpfs -o size=256k none "$0"; "$@"; code=$?; cp -r "$0" "$KEPT"; exit $code'
      const under = ['unshare', '-rm', 'sh', '-c', script, here.record.dir]
      const outcome = await here.runWith({ under, env: { KEPT: kept } }, 'import', path, '--json')
      expectRefused(outcome, 3, 'environment')
      expect(outcome.error().message).toContain('full')
      const [arrived, whole] = [filesIn(kept), filesIn(there.dir)]
      expect(Object.keys(arrived).length).toBeGreaterThan(5)
      expect(Object.keys(arrived).length).toBeLessThan(Object.keys(whole).length)
      for (const [name, bytes] of Object.entries(arrived)) expect(bytes === whole[name], name).toBe(true)
    },
  )
})

test('case 13: names in the answer and in the notes cannot forge a line or reach the terminal', async () => {
  const { here } = twoMachines()
  const there = recordBuilder(join(here.dir, 'hostile'))
  const folder = 'a\n0 files added, 0 here already, 0 conflicts\u001b[2J\u202e'
  const name = 'x\nconflict: forged\u001b]0;t\u0007.json'
  here.record.raw(folder, name, '1')
  there.raw(folder, name, '2')
  symlinkSync('/etc', join(there.dir, 'link\ncoord: not copied: forged\u001b[31m'))
  for (const source of [there.dir, tar(there.dir, join(here.dir, 'hostile.tar'), '.')]) {
    const outcome = await here.run('import', source)
    const lines = outcome.stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[1]).toMatch(/^conflict: a\\n0 files .* is kept, the other bytes are in a\\n0 files/)
    expect(outcome.stderr).not.toMatch(/^coord: not copied: forged/m)
    expect(outcome.stdout + outcome.stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
  }
})
