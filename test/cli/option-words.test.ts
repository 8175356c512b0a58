import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jobs } from '../../src/cli/commands/chain-run.ts'
import { nameValue } from '../../src/cli/commands/name-value.ts'
import { resultPath } from '../../src/cli/commands/result-path.ts'
import { saidText } from '../../src/cli/commands/said-text.ts'

describe('NAME=VALUE', () => {
  it('is parted at the first =, and gathered', () => {
    expect(nameValue('a=b')).toEqual({ a: 'b' })
    expect(nameValue('a=b=c', { x: 'y' })).toEqual({ x: 'y', a: 'b=c' })
    expect(nameValue('a=')).toEqual({ a: '' })
    expect(nameValue('toString=x')).toEqual({ toString: 'x' })
  })

  it.each(['', 'a', '=', '=b'])('%j is none', word => {
    expect(() => nameValue(word)).toThrow('NAME=VALUE')
  })

  it('a name given twice is a mistake, whatever its value', () => {
    for (const value of ['b', 'c', ''])
      expect(() => nameValue(`a=${value}`, { a: 'b' })).toThrow('a is given twice')
  })

  it('leaves what was gathered before as it is', () => {
    const before = { x: 'y' }
    nameValue('a=b', before)
    expect(before).toEqual({ x: 'y' })
  })
})

describe('--jobs', () => {
  it.each([
    ['1', 1],
    ['9', 9],
    ['10', 10],
    ['99', 99],
  ])('%s', (word, number) => {
    expect(jobs(word)).toBe(number)
  })

  it.each(['0', '00', '01', '100', '-1', '1.5', '1e1', ' 1', '1 ', '1\n', 'x', ''])('%j is none', word => {
    expect(() => jobs(word)).toThrow(expect.objectContaining({ kind: 'usage' }))
  })
})

describe('words for a record', () => {
  it.each(['', ' ', '\n\t'])('%j says nothing', text => {
    expect(() => saidText('--reason', text)).toThrow(
      expect.objectContaining({ kind: 'usage', message: '--reason says nothing' }),
    )
  })

  it('stay as they are', () => {
    expect(saidText('--reason', ' as it\nis ')).toBe(' as it\nis ')
  })
})

it('the folder of a result is seen from the current folder, and is never it by an empty word', () => {
  expect(resultPath('out')).toBe(resolve('out'))
  expect(resultPath('/out/')).toBe('/out')
  expect(() => resultPath('')).toThrow(expect.objectContaining({ kind: 'usage' }))
})
