import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type Imported, importRecords } from '../../src/importer/import-record.ts'
import { LARGEST_FILE } from '../../src/importer/regular-file.ts'
import { Problem } from '../../src/problem/problem.ts'
import { filesIn } from '../support/files.ts'
import { at, fileName } from '../support/record-builder.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Packs files, given as path and bytes, as they stand; returns the tar's path. */
function pack(dir: string, files: Record<string, string | Buffer>, ...options: string[]): string {
  const folder = join(dir, `pack-${randomBytes(4).toString('hex')}`)
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
  const file = `${folder}.tar`
  const { status, stderr } = spawnSync(
    'tar',
    ['-C', folder, ...options, '-cf', file, ...Object.keys(files)],
    { encoding: 'utf8' },
  )
  expect(status, stderr).toBe(0)
  return file
}

const name = (second: number) => fileName(at(second), 'x')
const into = (dir: string) => join(dir, 'record')

describe('a tar that is not whole is refused, and nothing is written', () => {
  const files = {
    [`s1/${name(0)}`]: 'a'.repeat(700),
    [`s1/${name(1)}`]: '',
    [`s2/${name(2)}`]: 'b'.repeat(512),
  }

  async function refused(dir: string, bytes: Buffer) {
    const file = join(dir, 'cut.tar')
    writeFileSync(file, bytes)
    await expect(importRecords(into(dir), [file])).rejects.toMatchObject({ name: 'Problem', kind: 'record' })
    expect(existsSync(into(dir))).toBe(false)
  }

  test('plain, cut anywhere before its end-of-archive blocks', async () => {
    const dir = tempFolder()
    const whole = readFileSync(pack(dir, files))
    let end = whole.length
    while (whole[end - 1] === 0) end -= 1
    const blocks = Math.ceil(end / 512) * 512 + 1024
    for (let block = 0; block < blocks; block += 512)
      for (const length of [block, block + 1, block + 200, block + 511])
        await refused(dir, whole.subarray(0, length))
    writeFileSync(join(dir, 'cut.tar'), whole.subarray(0, blocks))
    expect((await importRecords(into(dir), [join(dir, 'cut.tar')])).added).toBe(3)
  })

  test('compressed, cut anywhere, and with any byte of its checksum changed', async () => {
    const dir = tempFolder()
    const whole = gzipSync(readFileSync(pack(dir, files)))
    for (let length = 0; length < whole.length; length += 7) await refused(dir, whole.subarray(0, length))
    await refused(dir, whole.subarray(0, -1))
    const changed = Buffer.from(whole)
    changed.writeUInt8(changed.readUInt8(whole.length - 6) ^ 1, whole.length - 6)
    await refused(dir, changed)
    writeFileSync(join(dir, 'whole.tgz'), whole)
    expect((await importRecords(into(dir), [join(dir, 'whole.tgz')])).added).toBe(3)
  })

  test('plain, with a head that does not fit its checksum', async () => {
    const dir = tempFolder()
    const whole = readFileSync(pack(dir, files))
    const second = whole.lastIndexOf('s1/')
    expect(second).toBeGreaterThan(0)
    const changed = Buffer.from(whole)
    changed.writeUInt8(changed.readUInt8(second + 1) ^ 1, second + 1)
    await refused(dir, changed)
  })

  test('compressed whole, of a tar that is not', async () => {
    const dir = tempFolder()
    const whole = readFileSync(pack(dir, files))
    for (const length of [512, 1024, 1536, 2000, 2048])
      await refused(dir, gzipSync(whole.subarray(0, length)))
  })

  test('also where another source is whole, whichever comes first', async () => {
    const dir = tempFolder()
    const [whole, cut] = [pack(dir, files), pack(dir, files)]
    truncateSync(cut, 1100)
    for (const sources of [
      [whole, cut],
      [cut, whole],
    ]) {
      await expect(importRecords(into(dir), sources)).rejects.toThrow(Problem)
      expect(existsSync(into(dir))).toBe(false)
    }
  })

  test('a large one passes through in pieces and arrives byte for byte', async () => {
    const dir = tempFolder()
    const large: Record<string, Buffer> = {}
    for (let index = 0; index < 300; index += 1)
      large[`s${index % 3}/${name(index)}`] = randomBytes(1 + ((index * 7919) % 60_000))
    const plain = pack(dir, large)
    writeFileSync(join(dir, 'large.tgz'), gzipSync(readFileSync(plain)))
    for (const [file, target] of [
      [plain, 'one'],
      [join(dir, 'large.tgz'), 'two'],
    ] as const) {
      expect((await importRecords(join(dir, target), [file])).added).toBe(300)
      const arrived = filesIn(join(dir, target))
      expect(Object.keys(arrived).sort()).toEqual(Object.keys(large).sort())
      for (const [path, bytes] of Object.entries(large))
        expect(arrived[path] === bytes.toString('latin1')).toBe(true)
    }
  })
})

describe('which folders of a tar are sessions', () => {
  const [a, b] = [name(0), name(1)]

  async function outcome(files: string[], ...options: string[]): Promise<[string[], Imported['skipped']]> {
    const dir = tempFolder()
    const file = pack(dir, Object.fromEntries(files.map(path => [path, '{}'])), ...options)
    const { added, skipped } = await importRecords(into(dir), [file])
    const arrived = Object.keys(filesIn(into(dir))).sort()
    expect(added).toBe(arrived.length)
    return [arrived, skipped]
  }

  test.each([
    ['one session’s folder', [`s/${a}`, `s/${b}`], [`s/${a}`, `s/${b}`], []],
    ['a record', [`r/s/${a}`, `r/t/${a}`], [`s/${a}`, `t/${a}`], []],
    ['a record of one session, with a loose entry', [`r/${a}`, `r/s/${a}`], [`s/${a}`], [`r/${a}`]],
    ['sessions, with a loose entry', [a, `s/${a}`, `t/${a}`], [`s/${a}`, `t/${a}`], [a]],
    ['loose entries only', [a, b], [], [a, b]],
    [
      'a backup in a session’s folder',
      [`r/s/${a}`, `r/s/old/${b}`, `r/t/${a}`],
      [`s/${a}`, `t/${a}`],
      [`r/s/old/${b}`],
    ],
    ['other JSON files above the sessions', ['p/package.json', `p/r/s/${a}`], [`s/${a}`], []],
  ])('%s', async (_, files, arrived, notCopied) => {
    for (const options of [[], ['--transform', 's,^,./,'], ['-P', '--transform', 's,^,/home/me/.local/,']]) {
      if (files.some(path => !path.includes('/')) && options.includes('-P')) continue
      const [found, skipped = []] = await outcome(files, ...options)
      expect(found).toEqual(arrived)
      expect(skipped.map(({ path }) => path.replace(/^\.\/|^\/home\/me\/\.local\//, '')).sort()).toEqual(
        notCopied,
      )
      for (const { reason } of skipped) expect(reason).toMatch(/session’s folder/)
    }
  })
})

describe('what of a tar is not copied', () => {
  const [a, b] = [name(0), name(1)]

  test('hidden folders are ignored, a link is told of and makes no session of where it lies', async () => {
    const dir = tempFolder()
    const folder = join(dir, 'from')
    for (const path of ['s', 's/old', '.hidden']) mkdirSync(join(folder, path), { recursive: true })
    writeFileSync(join(folder, 's', a), '{}')
    writeFileSync(join(folder, '.hidden', a), '{}')
    symlinkSync('/etc/hostname', join(folder, 's/old', b))
    const file = join(dir, 'links.tar')
    const made = spawnSync('tar', ['-C', folder, '-cf', file, 's', '.hidden'], { encoding: 'utf8' })
    expect(made.status, made.stderr).toBe(0)
    const { added, skipped } = await importRecords(into(dir), [file])
    expect(Object.keys(filesIn(into(dir)))).toEqual([`s/${a}`])
    expect([added, skipped]).toEqual([
      1,
      [{ path: `s/old/${b}`, reason: 'not a file but SymbolicLink, not followed' }],
    ])
  })

  test('files of an old tar are files', async () => {
    const dir = tempFolder()
    const file = pack(dir, { [`s/${a}`]: '{}' }, '--format=v7')
    // As tars of long ago mark a file: with no type at all.
    const bytes = readFileSync(file)
    const sum = (from: Buffer) =>
      from.subarray(0, 512).reduce((total, one, at) => total + (at >= 148 && at < 156 ? 32 : one), 0)
    bytes.writeUInt8(0, 156)
    bytes.write(`${sum(bytes).toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
    writeFileSync(file, bytes)
    expect(await importRecords(into(dir), [file])).toMatchObject({ added: 1 })
  })

  test('what is too large to be an entry is told of', async () => {
    const dir = tempFolder()
    const file = pack(dir, { [`s/${a}`]: '{}', [`s/${b}`]: Buffer.alloc(LARGEST_FILE + 1) })
    expect(await importRecords(into(dir), [file])).toMatchObject({
      added: 1,
      skipped: [{ path: `s/${b}`, reason: `too large: ${LARGEST_FILE + 1} bytes` }],
    })
  })

  test('a folder whose name has lost its letter case is that of its entries, torn ones too', async () => {
    const dir = tempFolder()
    const start = {
      kind: 'start',
      sessionId: 'abc',
      at: at(1),
      cwd: '/',
      host: 'h',
      version: '1',
      inbound: 'x',
    }
    const file = pack(dir, { [`ABC/${a}`]: '{', [`ABC/${b}`]: JSON.stringify(start) })
    await importRecords(into(dir), [file])
    expect(Object.keys(filesIn(into(dir))).sort()).toEqual([`abc/${a}`, `abc/${b}`])
  })

  test('a name that no file can have is told of, in a dry run too', async () => {
    const dir = tempFolder()
    const long = fileName(at(3), 'x'.repeat(260))
    const file = pack(dir, { [`s/${a}`]: '{}', [`s/${b}`]: '{}' }, '--transform', `s,${b},${long},`)
    const dry = await importRecords(into(dir), [file], { dryRun: true })
    expect(dry.skipped).toEqual([
      { path: `s/${long}`, reason: `a name too long for a file: ${long.length} bytes` },
    ])
    expect(await importRecords(into(dir), [file])).toEqual(dry)
    const session = 's'.repeat(256)
    const folder = pack(dir, { [`t/${a}`]: '{}', [`u/${a}`]: '{}' }, '--transform', `s,^u,${session},`)
    expect(await importRecords(into(dir), [folder], { dryRun: true })).toMatchObject({
      added: 1,
      skipped: [{ reason: 'a name too long for a file: 256 bytes' }],
    })
  })
})
