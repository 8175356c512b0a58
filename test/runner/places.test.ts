import { createHash } from 'node:crypto'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runnerFolder } from '../../src/record/folders.ts'
import { findSkill } from '../../src/runner/agents/installed-skills.ts'
import { bindInputs } from '../../src/runner/inputs/bind-inputs.ts'
import { findProgram } from '../../src/runner/processes/find-program.ts'
import type { Chain } from '../../src/runner/spec/chain-schema.ts'
import { chainPlaces, findChain, listChains, projectRootOf } from '../../src/runner/spec/find-chain.ts'
import { checkChain, readChain } from '../../src/runner/spec/read-chain.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { bench, chainOf, eventsOf } from './support/bench.ts'

describe('rule.searchOrder: project, then user, then drafts', () => {
  const linux = { platform: 'linux', home: '/home/dev' }
  test.each([
    ['Linux', linux, '/home/dev/.local/share/agent-collab'],
    ['Linux with XDG_DATA_HOME', { ...linux, xdgDataHome: '/data' }, '/data/agent-collab'],
    ['Linux with a relative one', { ...linux, xdgDataHome: 'data' }, '/home/dev/.local/share/agent-collab'],
    [
      'macOS',
      { platform: 'darwin', home: '/Users/dev', xdgDataHome: '/data' },
      '/Users/dev/Library/Application Support/agent-collab',
    ],
    [
      'Windows',
      { platform: 'win32', home: 'C:\\Users\\dev', localAppData: 'C:\\Users\\dev\\AppData\\Local' },
      'C:\\Users\\dev\\AppData\\Local\\agent-collab',
    ],
  ])('the folder of the user on %s', (_, around, folder) => {
    expect(runnerFolder(around)).toEqual({ folder })
  })

  test('the first that has the chain counts, and a list names it once', () => {
    const here = bench()
    const places = chainPlaces(here.place.project, here.place.runnerFolder)
    expect(() => findChain('sample', places)).toThrow('no chain "sample"')
    const order = [
      ['drafts', join(here.place.project, 'drafts/sample-chains')],
      ['user', join(here.place.runnerFolder, 'chains')],
      ['project', join(here.place.project, 'chains')],
    ] as const
    for (const [scope, folder] of order) {
      here.write(join(folder, 'sample.yaml'), '')
      expect(findChain('sample', places)).toEqual({
        name: 'sample',
        scope,
        path: join(folder, 'sample.yaml'),
      })
      expect(listChains(places)).toHaveLength(1)
    }
    expect(() => findChain('sampel', places)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('did you mean "sample"') }),
    )
  })

  test('a project is the nearest folder above with a repository or chains', () => {
    const dir = tempFolder()
    mkdirSync(join(dir, 'a/.git'), { recursive: true })
    mkdirSync(join(dir, 'a/b/c'), { recursive: true })
    expect(projectRootOf(join(dir, 'a/b/c'))).toBe(join(dir, 'a'))
    mkdirSync(join(dir, 'a/b/chains'))
    expect(projectRootOf(join(dir, 'a/b/c'))).toBe(join(dir, 'a/b'))
  })

  test.each([
    ['that is not there', undefined, 'not-found'],
    ['that is not UTF-8', Buffer.from([0x6e, 0xff]), 'check'],
    ['over 1 MiB', Buffer.alloc(1_048_577, 0x23), 'check'],
    ['that is empty', Buffer.from(''), 'check'],
  ])('a file %s is a problem that names it', (_, bytes, kind) => {
    const path = join(tempFolder(), 'x.yaml')
    if (bytes) bench().write(path, bytes as unknown as string)
    expect(() => readChain(path)).toThrow(expect.objectContaining({ kind, path }))
  })
})

describe('rule.inputs: given values are typed, defaults applied, and all that is wrong is one error', () => {
  const types = ['string', 'number', 'integer', 'boolean', 'list', 'json', 'path'] as const
  const chain = {
    ...(chainOf([{}, {}]) as Chain),
    inputs: types.map(type => ({ name: type, type, required: false })),
  }

  test.each<[(typeof types)[number], string, unknown]>([
    ['string', '12', '12'],
    ['string', '', ''],
    ['number', '1.5e3', 1500],
    ['number', 'x', /number is not a number/],
    ['number', '"1"', /number is not a number/],
    ['integer', '-3', -3],
    ['integer', '1.5', /integer is not a whole number/],
    ['boolean', 'true', true],
    ['boolean', 'yes', /boolean is not true or false/],
    ['list', '["a", 1]', ['a', 1]],
    ['list', 'a, b', ['a', 'b']],
    ['list', '{}', /list is not a list/],
    ['json', '{"a": [1]}', { a: [1] }],
    ['json', '{a}', /json is not JSON/],
    ['path', 'no-such-file', /path names nothing that exists: .*no-such-file/],
  ])('%s %j', (name, text, expected) => {
    const bind = () => bindInputs(chain, { [name]: text }, tempFolder())
    if (expected instanceof RegExp) expect(bind).toThrow(expected)
    else expect(bind()[name]).toEqual(expected)
  })

  test('a path is made absolute, seen from where the person is', () => {
    const dir = tempFolder()
    mkdirSync(join(dir, 'sub'))
    expect(bindInputs(chain, { path: 'sub' }, dir).path).toBe(join(dir, 'sub'))
  })

  test('what is missing, unknown and mistyped is told at once; what may be left out is null or its default', () => {
    const strict = {
      ...chain,
      inputs: [
        { name: 'topic', type: 'string' as const, description: 'what it is about' },
        { name: 'reader', type: 'string' as const, required: true },
        { name: 'depth', type: 'integer' as const, default: 2 },
        { name: 'note', type: 'string' as const, required: false },
      ],
    }
    expect(() => bindInputs(strict, { topik: 'x', depth: 'deep' }, '/')).toThrow(
      'inputs of sample: there is no input topik, did you mean topic?; topic (string: what it is about) is missing; reader (string) is missing; depth is not a whole number',
    )
    expect(bindInputs(strict, { topic: 't', reader: 'r' }, '/')).toEqual({
      topic: 't',
      reader: 'r',
      depth: 2,
      note: null,
    })
  })
})

describe('rule.skillReference: a skill is found at its version among the installed plugins, or nothing runs', () => {
  function installed() {
    const here = bench()
    const install = (key: string, version: string, skills: Record<string, string>, more: object = {}) => {
      const [name, market] = key.split('@')
      const installPath = join(here.place.host, 'plugins/cache', market as string, name as string, version)
      mkdirSync(installPath, { recursive: true })
      for (const [skill, text] of Object.entries(skills))
        here.write(join(installPath, 'skills', skill, 'SKILL.md'), text)
      all[key] = [...(all[key] ?? []), { scope: 'user', installPath, version, ...more }]
      here.write(
        join(here.place.host, 'plugins/installed_plugins.json'),
        JSON.stringify({ version: 2, plugins: all }),
      )
      return installPath
    }
    const all: Record<string, object[]> = {}
    const find = (reference: string) => findSkill(reference, here.place.host, here.place.project)
    return { here, install, find }
  }

  test('its text, folder and hash', () => {
    const { install, find } = installed()
    const root = install('pack@m', '1.2.0', { do: 'Do it.' })
    expect(find('pack:do@1.2.0')).toEqual({
      reference: 'pack:do@1.2.0',
      path: join(root, 'skills/do/SKILL.md'),
      folder: join(root, 'skills/do'),
      text: 'Do it.',
      sha256: createHash('sha256').update('Do it.').digest('hex'),
    })
  })

  test.each([
    ['no plugin at all', 'pack:do@1.2.0', /the package "pack" is not installed/, false],
    ['another version', 'pack:do@1.2.1', /installed is version 1.2.0/, true],
    ['another package', 'pakc:do@1.2.0', /the package "pakc" is not installed/, true],
    ['no such skill', 'pack:undo@1.2.0', /has no skill "undo"/, true],
  ])('%s', (_, reference, told, has) => {
    const { install, find } = installed()
    if (has) install('pack@m', '1.2.0', { do: 'Do it.' })
    expect(() => find(reference)).toThrow(told)
  })

  test.each([
    ['1.2.0', '1.2.0-beta'],
    ['1.2.0', '1.2.01'],
    ['1.2.0-beta', '1.2.0'],
    ['1.2.0', '11.2.0'],
  ])('%s is not %s', (asked, there) => {
    const { install, find } = installed()
    install('pack@m', there, { do: 'Do it.' })
    expect(() => find(`pack:do@${asked}`)).toThrow(`installed is version ${there}`)
  })

  test('a plugin of another project is not installed here', () => {
    const { here, install, find } = installed()
    install('pack@m', '1.2.0', { do: 'x' }, { scope: 'project', projectPath: '/somewhere/else' })
    expect(() => find('pack:do@1.2.0')).toThrow(/not installed/)
    install('pack@m', '1.3.0', { do: 'x' }, { scope: 'project', projectPath: here.place.project })
    expect(find('pack:do@1.3.0').text).toBe('x')
  })

  test('two packages of one name and version with different texts are refused, with the same text not', () => {
    const { install, find } = installed()
    install('pack@m', '1.2.0', { do: 'one' })
    install('pack@n', '1.2.0', { do: 'one' })
    expect(find('pack:do@1.2.0').text).toBe('one')
    install('pack@o', '1.2.0', { do: 'two' })
    expect(() => find('pack:do@1.2.0')).toThrow(/means different skills/)
  })

  test('a skill that lies outside of its plugin is none', () => {
    const { here, install, find } = installed()
    const root = install('pack@m', '1.2.0', { do: 'x' })
    here.write(join(here.dir, 'outside/SKILL.md'), 'stolen')
    symlinkSync(join(here.dir, 'outside'), join(root, 'skills/leak'))
    expect(() => find('pack:leak@1.2.0')).toThrow(/has no skill "leak"/)
  })

  test('a run with a skill that is not there starts nothing and writes no log; with it its hash is in the log and its text in the prompt', async () => {
    const { here, install } = installed()
    const chain = chainOf([{ runner: 'skill', skill: 'pack:do@1.2.0', input: { a: 1 } }, {}])
    await expect(here.run(chain)).rejects.toThrow(/pack:do@1.2.0 is not there/)
    expect(here.calls()).toEqual([])
    install('pack@m', '1.2.0', { do: 'Do it so.' })
    const { events } = await here.run(chain)
    expect(eventsOf(events, 'step_started')[0]?.skill).toMatchObject({ reference: 'pack:do@1.2.0' })
    expect(here.calls()[0]?.prompt).toContain('<skill name="pack:do@1.2.0">\nDo it so.\n</skill>')
  })
})

test('a program is named by its full path or found in PATH, never in the project', () => {
  const env = { PATH: ['relative/bin', resolve(process.execPath, '..')].join(':') }
  expect(findProgram(process.execPath, env)).toBe(process.execPath)
  expect(findProgram('node', env)).toBe(process.execPath)
  expect(findProgram('./node', env)).toBeNull()
  expect(findProgram('no-such-program', env)).toBeNull()
})

test('a text that is no chain at all is a mistake and not a crash', () => {
  for (const text of ['', '- a', 'hello', '42', 'null', '{}', '[', '\0'])
    expect(checkChain(text)).toHaveProperty('mistakes')
})
