import { describe, expect, test } from 'vitest'
import { place, sharedPlace } from '../support/coord.ts'
import { at } from '../support/record-builder.ts'

const wrong: string[][] = [
  ['no-such-command'],
  ['tree', '--no-such-option'],
  ['tree', 'surplus'],
  ['tree', '--session'],
  ['query'],
  ['query', 'no_such_relation'],
  ['query', 'entries', '--format', 'xml'],
  ['query', 'entries', '--limit', 'many'],
  ['query', 'entries', '--limit', '-1'],
  ['query', 'entries', '--select', 'no_such_column'],
  ['query', 'entries', '--order', 'no_such_column'],
  ['query', 'entries', '--order', 'at sideways'],
  ['query', 'entries', 'kind ='],
  ['attribute'],
  ['attribute', '--text', 'a', '--text-file', 'b'],
  ['sample'],
  ['import'],
  ['index', '--record-dir'],
]

describe('exit code 2: wrong usage', () => {
  const here = sharedPlace()
  here.record.start('a', at(0))

  test.each(wrong.map(args => [args.join(' '), args]))('coord %s', async (_, args) => {
    const outcome = await here.run(...args)
    expect(outcome.code, outcome.stderr).toBe(2)
    expect(outcome.stdout).toBe('')
    expect(outcome.stderr).toMatch(/^coord: .+ \((usage|filter)\)$/m)
    expect(outcome.stderr).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m)
  })

  test.each(wrong.map(args => [args.join(' '), args]))(
    'coord %s --json: an object on stderr',
    async (_, args) => {
      const outcome = await here.run('--json', ...args)
      const last = outcome.code === 2 ? outcome : await here.run(...args, '--json')
      expect(last.code).toBe(2)
      expect(last.stdout).toBe('')
      const error = last.error()
      expect(['usage', 'filter']).toContain(error.kind)
      expect(error.message).toMatch(/\S/)
      expect(Object.keys(error).every(key => ['kind', 'message', 'hint', 'path'].includes(key))).toBe(true)
    },
  )
})

describe('errors for people', () => {
  test('one line with what and kind, and a hint line where there is one', async () => {
    const { code, stderr, stdout } = await place().run('tree', '--record-dir', '/nowhere/record')
    expect(code).toBe(1)
    expect(stdout).toBe('')
    const lines = stderr.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^coord: .*\/nowhere\/record.* \(record\)$/)
    expect(lines.length).toBeLessThanOrEqual(2)
  })

  test('a misspelt command or relation is told what it may have meant', async () => {
    const here = place()
    expect((await here.run('tre')).stderr).toContain('tree')
    expect((await here.run('query', 'entrys')).stderr).toContain('entries')
  })

  test('a record folder with control characters in its name reaches no terminal', async () => {
    const { stderr } = await place().run('tree', '--record-dir', '/no\u001b[31mwhere\u202e')
    expect(stderr).not.toMatch(/[\u001b\u202e]/)
    expect(stderr).toContain('where')
  })
})

describe('help', () => {
  test.each(['index', 'watch', 'tree', 'sample', 'query', 'attribute', 'import', 'verify', 'doctor'])(
    'coord %s --help says how it is used, exit 0',
    async command => {
      const { code, stdout } = await place().run(command, '--help')
      expect(code).toBe(0)
      expect(stdout).toContain(command)
      expect(stdout).toContain('--json')
    },
  )

  test('coord --help lists the commands, coord --version the version', async () => {
    const here = place()
    const { code, stdout } = await here.run('--help')
    expect(code).toBe(0)
    for (const command of [
      'index',
      'watch',
      'tree',
      'query',
      'attribute',
      'import',
      'verify',
      'doctor',
      'sample',
    ]) {
      expect(stdout).toMatch(new RegExp(`^\\s+${command}\\b`, 'm'))
    }
    const version = await here.run('--version')
    expect(version.code).toBe(0)
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+/)
  })
})
