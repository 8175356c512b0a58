import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bindInputs, describeInput, missingInputs } from '../../../src/runner/inputs/bind-inputs.ts'
import { inputFiles } from '../../../src/runner/inputs/input-files.ts'
import { typedValue, typeMistake } from '../../../src/runner/inputs/input-type.ts'
import type { Chain, ChainInput } from '../../../src/runner/spec/chain-schema.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { chainOf } from '../support/bench.ts'

const chain = (...inputs: ChainInput[]) => ({ ...(chainOf([{}, {}]) as Chain), inputs })

describe('rule.inputs', () => {
  test.each<[ChainInput['type'], string, unknown]>([
    ['list', '', undefined],
    ['list', ' ', undefined],
    ['list', 'a,b , c', ['a', 'b', 'c']],
    ['list', 'one', ['one']],
    ['list', '[1', undefined],
    ['list', ' [1]', [1]],
    ['list', '7', undefined],
    ['list', '{', ['{']],
    ['json', 'null', null],
    ['json', '', undefined],
    ['boolean', 'false', false],
    ['boolean', '1', undefined],
    ['boolean', '"true"', undefined],
    ['integer', '0', 0],
    ['integer', '1e2', 100],
    ['integer', '9007199254740993', undefined],
    ['number', '-0.5', -0.5],
    ['number', '', undefined],
    ['number', 'NaN', undefined],
    ['string', ' a ', ' a '],
    ['path', '', undefined],
  ])('%s %j is %j', (type, text, value) => {
    expect(typedValue(type, text)).toEqual(
      value === undefined ? { mistake: expect.stringMatching(/^is not /) } : { value },
    )
  })

  test.each<[ChainInput['type'], unknown, boolean]>([
    ['string', 1, false],
    ['path', '', false],
    ['list', {}, false],
    ['json', null, true],
    ['json', undefined, false],
    ['integer', 1.5, false],
    ['number', Number.POSITIVE_INFINITY, false],
  ])('a default of type %s: %j fits: %s', (type, value, fits) => {
    expect(typeMistake(type, value) === null).toBe(fits)
  })

  test('which are missing, and what one is called', () => {
    const declared = chain(
      { name: 'a', type: 'string' },
      { name: 'b', type: 'string', required: false },
      { name: 'c', type: 'string', required: true, default: 'x' },
      { name: 'd', type: 'boolean', default: false },
      { name: 'toString', type: 'string', description: '' },
    )
    expect(missingInputs(declared, {}).map(({ name }) => name)).toEqual(['a', 'toString'])
    expect(missingInputs(declared, { a: '', toString: '' })).toEqual([])
    expect(describeInput({ name: 'a', type: 'list', description: 'what' })).toBe('a (list: what)')
    expect(describeInput({ name: 'a', type: 'list', description: '' })).toBe('a (list)')
    expect(bindInputs(declared, { a: '', toString: 'y' }, '/')).toEqual({
      a: '',
      b: null,
      c: 'x',
      d: false,
      toString: 'y',
    })
    expect(() => bindInputs(chain(), { zzz: '1' }, '/')).toThrow(
      expect.objectContaining({
        kind: 'usage',
        message: 'inputs of sample: there is no input zzz',
        hint: expect.stringMatching(/takes none$/),
      }),
    )
  })

  test('a default path is made absolute and has to be there too', () => {
    const dir = tempFolder()
    mkdirSync(join(dir, 'there'))
    expect(bindInputs(chain({ name: 'p', type: 'path', default: 'there' }), {}, dir)).toEqual({
      p: join(dir, 'there'),
    })
    expect(() => bindInputs(chain({ name: 'p', type: 'path', default: 'gone' }), {}, dir)).toThrow(
      /p names nothing that exists: .*gone/,
    )
    expect(bindInputs(chain({ name: 'p', type: 'path', required: false }), {}, dir)).toEqual({ p: null })
  })

  test('rule.resumeRefuses: the hash of each file, and of files alone', () => {
    const dir = tempFolder()
    writeFileSync(join(dir, 'a'), 'text')
    const declared = chain(
      ...(['a', 'folder', 'gone', 'none'] as const).map(name => ({ name, type: 'path' as const })),
      { name: 'word', type: 'string' },
    )
    const values = { a: join(dir, 'a'), folder: dir, gone: join(dir, 'b'), none: null, word: join(dir, 'a') }
    expect(inputFiles(declared, values)).toEqual({ a: createHash('sha256').update('text').digest('hex') })
  })
})
