import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
// @ts-expect-error a script, without types
import { chooseBySeed, listMutants } from '../../scripts/mutate/list-mutants.mjs'
// @ts-expect-error a script, without types
import { toldOf } from '../../scripts/mutate/report.mjs'
import { tempFolder } from '../support/temp-folder.ts'

const TEXT = "export const isOld = (days: number) => {\n  return days > 7 ? 'old' : 'new'\n}\n"

function source() {
  const path = join(tempFolder(), 'is-old.ts')
  writeFileSync(path, TEXT)
  return path
}

describe('the mutants of a sample', () => {
  it('are those of the sources, texts only where they are asked for', async () => {
    const file = source()
    const all: string[] = await listMutants([file], { excludedMutations: [] })
    const withoutTexts: string[] = await listMutants([file], { excludedMutations: ['StringLiteral'] })
    expect(all.filter(key => !withoutTexts.includes(key))).toHaveLength(2)
    expect(withoutTexts.some(key => key.endsWith('EqualityOperator\tdays >= 7'))).toBe(true)
  })

  it('are the same for the same seed, others for another, and stay when mutants come and go', () => {
    const keys = Array.from({ length: 200 }, (_, index) => `mutant ${index}`)
    const chosen = chooseBySeed(keys, 20, '1')
    expect(new Set(chosen).size).toBe(20)
    expect(chooseBySeed([...keys].reverse(), 20, '1')).toEqual(chosen)
    expect(chooseBySeed(keys, 20, '2')).not.toEqual(chosen)
    const without = keys.filter(key => key !== chosen[3])
    expect(chooseBySeed(without, 20, '1').slice(0, 19)).toEqual(
      chosen.filter((key: string) => key !== chosen[3]),
    )
  })
})

describe('what is told of a room', () => {
  const of = (fileName: string, status: string, statusReason?: string) => ({
    ...{ fileName, status, statusReason, mutatorName: 'EqualityOperator', replacement: 'days >= 7' },
    location: { start: { line: 2, column: 10 }, end: { line: 2, column: 18 } },
  })

  it('counts what ran too long or failed outside of a test as noticed, and what no test reaches as not', () => {
    const file = source()
    const uncaught = of(file, 'RuntimeError', 'An error occurred outside of a test run: late')
    const found = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'RuntimeError'].map(status =>
      of(file, status),
    )
    const { text, result } = toldOf('sample', [...found, uncaught], { seconds: 3 })
    expect(text.split('\n')[0]).toBe(
      'sample: noticed 3 of 5 (60 %), 1 by running too long, 1 reached by no test, 1 without a verdict, 3 s',
    )
    expect(text.split('\n')[1]).toMatch(/is-old\.ts:2:10 EqualityOperator: days > 7 -> days >= 7$/)
    expect(text.split('\n')[2]).toMatch(/ \(reached by no test\)$/)
    expect(result).toMatchObject({ noticed: 3, counted: 5, percent: 60, timeouts: 1 })
  })

  it('never rounds up to the goal', () => {
    const file = source()
    const found = Array.from({ length: 1001 }, (_, index) => of(file, index < 900 ? 'Killed' : 'Survived'))
    expect(toldOf('sample', found, { seconds: 1 }).result.percent).toBeLessThan(90)
  })
})
