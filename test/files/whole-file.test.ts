import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  beginWholeFile,
  isTemporaryName,
  removeLeftOvers,
  writeAll,
  writeWholeFile,
  writeWholeFiles,
} from '../../src/files/whole-file.ts'
import { tempFolder } from '../support/temp-folder.ts'

describe('a file that is written whole', () => {
  it('holds text and bytes in the order in which they were written', () => {
    const path = join(tempFolder(), 'file')
    const file = beginWholeFile(path)
    file.write('one ')
    file.write('and ')
    file.write(Buffer.from('two '))
    file.write('żółć')
    file.done()
    expect(readFileSync(path, 'utf8')).toBe('one and two żółć')
  })

  it('has nothing to abandon once it is done', () => {
    const folder = tempFolder()
    const file = beginWholeFile(join(folder, 'file'))
    file.write('whole')
    file.done()
    file.abandon()
    expect(readdirSync(folder)).toEqual(['file'])
  })

  it('leaves several as they were where one cannot be written, and nothing beside them', () => {
    const folder = tempFolder()
    const paths = [join(folder, 'a'), join(folder, 'b')] as const
    for (const path of paths) writeFileSync(path, 'old')
    const failing = () =>
      writeWholeFiles(paths, ([a]) => {
        a.write('new')
        throw new Error('no more')
      })
    expect(failing).toThrow('no more')
    expect(() => writeWholeFiles([paths[0], join(folder, 'none', 'c')], () => {})).toThrow('ENOENT')
    expect(readdirSync(folder).sort()).toEqual(['a', 'b'])
    expect(paths.map(path => readFileSync(path, 'utf8'))).toEqual(['old', 'old'])
  })

  it('leaves nothing where its name is taken by a folder', () => {
    const folder = tempFolder()
    expect(() => writeWholeFile(folder, 'x')).toThrow()
    expect(readdirSync(folder)).toEqual([])
  })

  it('several are all there', () => {
    const folder = tempFolder()
    const names = ['a', 'b', 'c'] as const
    const paths = names.map(name => join(folder, name))
    writeWholeFiles(paths, files => {
      for (const [index, file] of files.entries()) file.write(names[index] as string)
    })
    expect(readdirSync(folder)).toEqual(names)
    expect(paths.map(path => readFileSync(path, 'utf8'))).toEqual(names)
  })

  it('is private to the user, and hidden in its own folder until it is done', () => {
    const folder = tempFolder()
    const file = beginWholeFile(join(folder, 'file'))
    file.write('x')
    const [name] = readdirSync(folder) as [string]
    expect(name).toMatch(/^\.file\.[0-9a-f]{16}\.tmp$/)
    expect(isTemporaryName(name)).toBe(true)
    expect(existsSync(join(folder, 'file'))).toBe(false)
    file.done()
    expect(statSync(join(folder, 'file')).mode & 0o777).toBe(0o600)
  })

  it('holds back a megabyte of what is written, and no more', () => {
    const folder = tempFolder()
    const path = join(folder, 'file')
    const file = beginWholeFile(path)
    const size = () => statSync(join(folder, readdirSync(folder)[0] as string)).size
    const written: [number, number][] = []
    for (let piece = 1; piece <= 10; piece++) {
      file.write('x'.repeat(300_000))
      written.push([piece * 300_000, size()])
    }
    for (const [given, held] of written) expect(given - held).toBeLessThan(1 << 20)
    expect(written.slice(0, 3).map(([, held]) => held)).toEqual([0, 0, 0])
    expect(written.at(-1)?.[1]).toBe(2_400_000)
    file.done()
    expect(statSync(path).size).toBe(3_000_000)
  })

  it("an error names the file, which the system's own does not", () => {
    const folder = tempFolder()
    const file = openSync(folder, 'r')
    const failing = () => writeAll(file, Buffer.from('x'), '/the/file')
    expect(failing).toThrow(
      expect.objectContaining({
        code: 'EBADF',
        path: '/the/file',
        message: expect.stringMatching(/^EBADF.* '\/the\/file'$/),
        cause: expect.objectContaining({ code: 'EBADF' }),
      }),
    )
  })

  it('nothing written is an empty file', () => {
    const path = join(tempFolder(), 'file')
    writeWholeFile(path, '')
    expect(readFileSync(path)).toHaveLength(0)
  })
})

describe('what killed writers have left', () => {
  const hex = '0123456789abcdef'

  it.each<[string, boolean]>([
    [`.file.${hex}.tmp`, true],
    [`.a.b.${hex}.tmp`, true],
    [`file.${hex}.tmp`, false],
    [`x.file.${hex}.tmp`, false],
    [`..${hex}.tmp`, false],
    [`.file.${hex}.tmp.json`, false],
    [`.file.${hex.slice(1)}.tmp`, false],
    [`.file.${hex}0.tmp`, false],
    [`.file.${hex.toUpperCase()}.tmp`, false],
    [`.file.${hex}xtmp`, false],
    ['.file.tmp', false],
    ['.tmp', false],
  ])('%s is such a name: %j', (name, expected) => expect(isTemporaryName(name)).toBe(expected))

  it('is removed when it is older than a minute, and nothing else is', () => {
    const folder = tempFolder()
    const put = (name: string, age: number) => {
      writeFileSync(join(folder, name), '')
      const time = Date.now() / 1000 - age
      utimesSync(join(folder, name), time, time)
    }
    put(`.old.${hex}.tmp`, 90)
    put(`.older.${hex}.tmp`, 1e6)
    put(`.young.${hex}.tmp`, 30)
    put('.other.tmp', 1e6)
    put('file', 1e6)
    symlinkSync(join(folder, 'gone'), join(folder, `.link.${hex}.tmp`))
    mkdirSync(join(folder, 'sub'))
    removeLeftOvers(folder)
    expect(readdirSync(folder).sort()).toEqual(
      [`.link.${hex}.tmp`, '.other.tmp', `.young.${hex}.tmp`, 'file', 'sub'].sort(),
    )
  })
})
