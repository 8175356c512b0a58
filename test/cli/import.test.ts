import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { place } from '../support/coord.ts'
import { filesIn } from '../support/files.ts'
import { at, fileName, recordBuilder } from '../support/record-builder.ts'

/** A place whose record has a lead of a parent that is elsewhere, and the record of that other machine. */
function twoMachines() {
  const here = place()
  const there = recordBuilder(join(here.dir, 'other-machine'))
  here.record.chain('lead', 'parent', 'part', at(1))
  there.start('parent', at(0))
  there.received('parent', 'lead', 'hello', at(2))
  return { here, there }
}

function tar(folder: string, file: string, ...what: string[]): string {
  const { status, stderr } = spawnSync('tar', ['-C', folder, '-cf', file, ...what], { encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  return file
}

describe('ruling 12: coord import', () => {
  test('brings the sessions of another machine, and the boundary becomes a session', async () => {
    const { here, there } = twoMachines()
    expect((await here.run('tree', '--json')).json().chains[0].role).toBe('boundary')
    const outcome = await here.run('import', there.dir, '--json')
    expect(outcome.code).toBe(0)
    expect(outcome.json()).toEqual({ added: 2, same: 0, conflicts: [] })
    expect((await here.run('tree', '--no-refresh', '--json')).json().chains).toMatchObject([
      { sessionId: 'parent', role: 'top', children: [{ sessionId: 'lead' }] },
    ])
  })

  test('a second time everything is the same, and nothing is written', async () => {
    const { here, there } = twoMachines()
    await here.run('import', there.dir)
    const before = filesIn(here.record.dir)
    expect((await here.run('import', there.dir, '--json')).json()).toEqual({
      added: 0,
      same: 2,
      conflicts: [],
    })
    expect(filesIn(here.record.dir)).toEqual(before)
  })

  test('files arrive byte for byte, also those that no reader can read', async () => {
    const { here, there } = twoMachines()
    there.raw('parent', '2026-11-01T100009.000Z-torn.json', '{"kind":"sta')
    there.raw('parent', '2026-11-01T100010.000Z-bytes.json', Buffer.from([0xff, 0xfe, 0]))
    await here.run('import', there.dir)
    expect(filesIn(join(here.record.dir, 'parent'))).toEqual(filesIn(join(there.dir, 'parent')))
  })

  test('the same name with other bytes is a conflict: both are kept, and it is reported', async () => {
    const { here, there } = twoMachines()
    const name = fileName(at(0), 'x')
    const mine = here.record.raw('parent', name, JSON.stringify({ kind: 'start', sessionId: 'parent' }))
    const other = JSON.stringify({ kind: 'start', sessionId: 'parent', at: at(0) })
    there.raw('parent', name, other)
    const before = filesIn(here.record.dir)
    const outcome = await here.run('import', there.dir, '--json')
    const answer = outcome.json()
    expect(Object.keys(answer)).toEqual(['added', 'same', 'conflicts'])
    expect(answer.conflicts).toHaveLength(1)
    expect(Object.keys(answer.conflicts[0]).sort()).toEqual(['kept', 'other', 'path'])
    const sha256 = createHash('sha256').update(other).digest('hex')
    const after = filesIn(here.record.dir)
    expect(after).toMatchObject(before)
    expect(after[`${mine}.conflict-${sha256.slice(0, 12)}`]).toBe(other)
    const indexed = await here.run('index', '--json')
    expect(indexed.json().files.conflicts).toBe(1)
    expect(indexed.code).toBe(8)
  })

  test('the same conflict a second time is not kept a third time', async () => {
    const { here, there } = twoMachines()
    here.record.raw('parent', fileName(at(0), 'x'), '{}')
    there.raw('parent', fileName(at(0), 'x'), '{"a":1}')
    await here.run('import', there.dir)
    const before = filesIn(here.record.dir)
    await here.run('import', there.dir)
    expect(filesIn(here.record.dir)).toEqual(before)
  })

  test('--dry-run says the same and writes nothing', async () => {
    const { here, there } = twoMachines()
    const before = filesIn(here.record.dir)
    const dry = await here.run('import', there.dir, '--dry-run', '--json')
    expect(filesIn(here.record.dir)).toEqual(before)
    expect(dry.json()).toEqual((await here.run('import', there.dir, '--json')).json())
  })

  test('several records at once', async () => {
    const { here, there } = twoMachines()
    const third = recordBuilder(join(here.dir, 'third'))
    third.start('third', at(0))
    expect((await here.run('import', there.dir, third.dir, '--json')).json().added).toBe(3)
  })

  test.each([
    ['of the folder itself', ['.']],
    ['of its sessions', ['parent']],
  ])('a tar %s', async (_, what) => {
    const { here, there } = twoMachines()
    const file = tar(there.dir, join(here.dir, 'record.tar'), ...what)
    expect((await here.run('import', file, '--json')).json()).toEqual({ added: 2, same: 0, conflicts: [] })
    expect(filesIn(join(here.record.dir, 'parent'))).toEqual(filesIn(join(there.dir, 'parent')))
  })

  test('a tar whose root is the record’s folder', async () => {
    const { here } = twoMachines()
    const file = tar(here.dir, join(here.dir, 'record.tar'), 'other-machine')
    expect((await here.run('import', file, '--json')).json()).toMatchObject({ added: 2 })
    expect(existsSync(join(here.record.dir, 'parent'))).toBe(true)
  })

  test('the record folder is made where there is none', async () => {
    const { here, there } = twoMachines()
    const fresh = join(here.dir, 'new', 'record')
    const outcome = await here.run('import', there.dir, '--record-dir', fresh, '--json')
    expect(outcome.code, outcome.stderr).toBe(0)
    expect(readdirSync(fresh)).toEqual(['parent'])
  })

  test('a source that is not there is an error, and nothing is written', async () => {
    const { here } = twoMachines()
    const before = filesIn(here.record.dir)
    const outcome = await here.run('import', join(here.dir, 'nothing'), '--json')
    expect(outcome.code).toBe(1)
    expect(outcome.stdout).toBe('')
    expect(JSON.stringify(outcome.error())).toContain('nothing')
    expect(filesIn(here.record.dir)).toEqual(before)
  })

  test('a file that is no tar is an error, and nothing is written', async () => {
    const { here } = twoMachines()
    const before = filesIn(here.record.dir)
    const file = join(here.dir, 'no.tar')
    writeFileSync(file, 'x'.repeat(5000))
    const outcome = await here.run('import', file, '--json')
    expect(outcome.code).toBe(1)
    expect(outcome.stdout).toBe('')
    expect(filesIn(here.record.dir)).toEqual(before)
  })
})

describe('case 13: what comes from elsewhere never leaves the record', () => {
  test('links in the source are not followed, and bring nothing', async () => {
    const { here, there } = twoMachines()
    const secret = join(here.dir, 'secret')
    mkdirSync(secret)
    writeFileSync(join(secret, fileName(at(0), 'x')), 'secret')
    symlinkSync(join(secret, fileName(at(0), 'x')), join(there.dir, 'parent', fileName(at(0), 'x')))
    symlinkSync(secret, join(there.dir, 'linked'))
    await here.run('import', there.dir)
    expect(JSON.stringify(filesIn(here.record.dir))).not.toContain('secret')
    expect(existsSync(join(here.record.dir, 'linked'))).toBe(false)
  })

  test('a FIFO in the source does not hang it', async () => {
    const { here, there } = twoMachines()
    spawnSync('mkfifo', [join(there.dir, 'parent', fileName(at(0), 'fifo'))])
    const outcome = await here.run('import', there.dir, '--json')
    expect(outcome.json().added).toBe(2)
  })

  test('a session folder that is a link in the record is not written through', async () => {
    const { here, there } = twoMachines()
    const outside = join(here.dir, 'outside')
    mkdirSync(outside)
    symlinkSync(outside, join(here.record.dir, 'parent'))
    await here.run('import', there.dir, '--json')
    expect(readdirSync(outside)).toEqual([])
  })

  test('a tar with paths that lead out, links and devices writes nothing outside', async () => {
    const { here } = twoMachines()
    const folder = join(here.dir, 'pack')
    mkdirSync(join(folder, 'a', 'evil'), { recursive: true })
    const name = fileName(at(0), 'x')
    writeFileSync(join(folder, 'a', 'evil', name), '{}')
    writeFileSync(join(folder, name), '{}')
    symlinkSync(join(here.dir, 'outside'), join(folder, 'a', 'link'))
    const file = join(here.dir, 'evil.tar')
    for (const transform of [
      's,^a/evil,../../evil,',
      's,^a/evil,/tmp/coord-evil,',
      's,^a/evil,evil/../../evil,',
    ]) {
      const packed = spawnSync('tar', [
        '-C',
        folder,
        '-P',
        '--transform',
        transform,
        '-cf',
        file,
        'a/evil',
        'a/link',
      ])
      expect(packed.status).toBe(0)
      const before = filesIn(here.dir)
      const outcome = await here.run('import', file, '--json')
      expect([0, 1, 8]).toContain(outcome.code)
      const added = Object.keys(filesIn(here.dir)).filter(path => !(path in before))
      expect(added.filter(path => !path.startsWith('record/') && !path.startsWith('cache/'))).toEqual([])
      expect(existsSync('/tmp/coord-evil')).toBe(false)
      expect(existsSync(join(here.dir, 'outside'))).toBe(false)
    }
  })
})
