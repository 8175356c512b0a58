import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FORMATS } from '../../../src/scan/formats.ts'
import { findSources, isFailure } from '../../../src/scan/transcripts/find-sources.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { scan, write } from '../../support/transcripts.ts'

const found = (...roots: string[]) => {
  const { files, exclusions } = findSources(roots, FORMATS)
  const root = roots[0] as string
  const below = (file: string) => file.slice(root.length + 1)
  return {
    files: files.map(({ file, kind }) => `${kind} ${below(file)}`),
    exclusions: exclusions.map(({ file, reason }) => `${below(file)}: ${reason}`),
  }
}
const folder = (...names: string[]) => {
  const root = tempFolder()
  for (const name of names) write(root, name, '')
  return root
}

describe('the files of a root', () => {
  it('of a program’s folder those of its folders of transcripts and its list alone, in the order of their paths', () => {
    const root = folder(
      'projects/b.jsonl',
      'projects/a/c.jsonl.zst',
      'sessions/d.jsonl',
      'archived_sessions/e.jsonl',
    )
    for (const name of ['history.jsonl', 'other.jsonl', 'todos/f.jsonl']) write(root, name, '')
    expect(found(root).files).toEqual([
      'transcript archived_sessions/e.jsonl',
      'history history.jsonl',
      'transcript projects/a/c.jsonl.zst',
      'transcript projects/b.jsonl',
      'transcript sessions/d.jsonl',
    ])
  })

  it('of any other folder all of them; a list is known by its name', () => {
    expect(found(folder('x/b.jsonl', 'a.jsonl', 'history.jsonl', 'x/history.jsonl')).files).toEqual([
      ...['transcript a.jsonl', 'history history.jsonl', 'transcript x/b.jsonl', 'history x/history.jsonl'],
    ])
  })

  it.each(['a.json', 'a.jsonl.gz', 'ajsonl', 'a.jsonl.zst.old', 'a.JSONL'])('none that is named %s', name => {
    expect(found(folder(name))).toEqual({
      files: [],
      exclusions: [`${name}: not named like a transcript (.jsonl, .jsonl.zst)`],
    })
  })

  it('a list behind a link is none of it, nor a folder that is named so', () => {
    const root = folder('projects/a.jsonl')
    symlinkSync(join(folder('h.jsonl'), 'h.jsonl'), join(root, 'history.jsonl'))
    expect(found(root).files).toEqual(['transcript projects/a.jsonl'])
    const other = folder('projects/a.jsonl')
    mkdirSync(join(other, 'history.jsonl'))
    expect(found(other).files).toEqual(['transcript projects/a.jsonl'])
  })

  it('a file named like a folder of transcripts makes no program’s folder', () => {
    const root = folder('x/a.jsonl')
    writeFileSync(join(root, 'projects'), '')
    expect(found(root).files).toEqual(['transcript x/a.jsonl'])
  })

  it('one that is named twice is one; one file may have any name', () => {
    const root = folder('x/a.jsonl', 'b.txt')
    expect(found(root, join(root, 'x'), join(root, 'x/a.jsonl')).files).toEqual(['transcript x/a.jsonl'])
    expect(found(root, join(root, 'b.txt')).files).toEqual(['transcript b.txt', 'transcript x/a.jsonl'])
  })

  it('a root that is gone is told with the way out', () => {
    const path = join(tempFolder(), 'gone')
    expect(() => found(path)).toThrow(
      expect.objectContaining({
        kind: 'not-found',
        path,
        hint: expect.stringContaining('Claude Code or Codex'),
      }),
    )
  })
})

it.each([
  ['cannot be read: EACCES', true],
  ['damaged, read up to there: x', true],
  ['not a regular file', false],
  ['a link; it cannot be read', false],
])('a failure that makes an answer partial: %s is %s', (reason, expected) => {
  expect(isFailure({ file: 'x', line: null, reason })).toBe(expected)
})

it('a list without a line that any program wrote is passed over, and named', () => {
  const root = folder()
  const path = write(root, 'history.jsonl', [{ x: 1 }])
  const { exclusions, sources } = scan([root])
  expect({ exclusions, sources }).toEqual({
    sources: [],
    exclusions: [{ file: path, line: null, reason: 'not a transcript of Claude Code or Codex' }],
  })
})
