import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { beginWholeFile, writeWholeFile, writeWholeFiles } from '../../src/files/whole-file.ts'
import { tempFolder } from '../support/temp-folder.ts'

describe('a file that is written whole', () => {
  it('holds text and bytes in the order in which they were written', () => {
    const path = join(tempFolder(), 'file')
    const file = beginWholeFile(path)
    file.write('one ')
    file.write(Buffer.from('two '))
    file.write('żółć')
    file.done()
    expect(readFileSync(path, 'utf8')).toBe('one two żółć')
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
})
