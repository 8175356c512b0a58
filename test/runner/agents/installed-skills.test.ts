import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { findSkill } from '../../../src/runner/agents/installed-skills.ts'
import { tempFolder } from '../../support/temp-folder.ts'

function host() {
  const dir = tempFolder()
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
    return join(dir, path)
  }
  const list = (plugins: object) => write('plugins/installed_plugins.json', JSON.stringify({ plugins }))
  const find = (reference: string, project = '/project') => findSkill(reference, dir, project)
  return { dir, write, list, find }
}

test('rule.skillReference: the marketplace is what stands behind the last @', () => {
  const { dir, write, list, find } = host()
  write('p/skills/do/SKILL.md', 'Do it.')
  list({ 'pack@a@b': [{ installPath: join(dir, 'p'), version: '1.0.0' }] })
  expect(() => find('pack:do@1.0.0')).toThrow('the package "pack" is not installed')
  list({ 'pack@a.b/c': [{ installPath: join(dir, 'p'), version: '1.0.0' }] })
  expect(find('pack:do@1.0.0').text).toBe('Do it.')
})

test('rule.skillReference: every version that is installed is told, and a version without a name is none', () => {
  const { dir, list, find } = host()
  const installPath = join(dir, 'p')
  list({ 'pack@m': [{ installPath, version: '1.0.0' }, { installPath }, { installPath, version: '2.0.0' }] })
  expect(() => find('pack:do@1.2.0')).toThrow(
    expect.objectContaining({
      kind: 'check',
      path: join(dir, 'plugins/installed_plugins.json'),
      message: 'pack:do@1.2.0 is not there: installed is version 1.0.0, unknown, 2.0.0',
    }),
  )
})

test('rule.skillReference: a package of a project is found from that project, however its path is written', () => {
  const { dir, write, list, find } = host()
  write('p/skills/do/SKILL.md', 'Do it.')
  list({ 'pack@m': [{ installPath: join(dir, 'p'), version: '1.0.0', projectPath: '/a/b/../c/' }] })
  expect(find('pack:do@1.0.0', '/a/c').text).toBe('Do it.')
  expect(find('pack:do@1.0.0', '/a/./c').text).toBe('Do it.')
  expect(() => find('pack:do@1.0.0', '/a')).toThrow(/not installed/)
})

test('rule.skillReference: a folder of the manifest may be the skill itself, and only under its whole name', () => {
  const { dir, write, list, find } = host()
  write('p/more/do/SKILL.md', 'Do it.')
  write('p/.claude-plugin/plugin.json', JSON.stringify({ name: 'pack', skills: './more/do' }))
  list({ 'pack@m': [{ installPath: join(dir, 'p'), version: '1.0.0' }] })
  expect(find('pack:do@1.0.0')).toMatchObject({ text: 'Do it.', folder: join(dir, 'p/more/do') })
  expect(() => find('pack:o@1.0.0')).toThrow(/has no skill "o"/)
})

test('rule.skillReference: a folder beside the plugin whose name begins like it is outside of it', () => {
  const { dir, write, list, find } = host()
  write('pack-stolen/SKILL.md', 'stolen')
  write('pack/skills/do/SKILL.md', 'Do it.')
  symlinkSync(join(dir, 'pack-stolen'), join(dir, 'pack/skills/leak'))
  list({ 'pack@m': [{ installPath: join(dir, 'pack'), version: '1.0.0' }] })
  expect(() => find('pack:leak@1.0.0')).toThrow(
    expect.objectContaining({ message: expect.stringContaining('has no skill'), path: join(dir, 'pack') }),
  )
  write('pack/.claude-plugin/plugin.json', JSON.stringify({ skills: ['../pack-stolen', '..'] }))
  write('out/SKILL.md', 'stolen')
  expect(() => find('pack:out@1.0.0')).toThrow(/has no skill/)
})

test('rule.bounded: a skill may be 1 MiB', () => {
  const { dir, write, list, find } = host()
  list({ 'pack@m': [{ installPath: join(dir, 'p'), version: '1.0.0' }] })
  write('p/skills/do/SKILL.md', 'x'.repeat(1_048_576))
  expect(find('pack:do@1.0.0').text).toHaveLength(1_048_576)
  write('p/skills/do/SKILL.md', 'x'.repeat(1_048_577))
  expect(() => find('pack:do@1.0.0')).toThrow(/its file is over|its file/)
})

test('rule.skillReference: what is no reference is refused', () => {
  expect(() => host().find('pack:do')).toThrow(
    expect.objectContaining({ kind: 'check', message: 'no skill reference: pack:do' }),
  )
})
