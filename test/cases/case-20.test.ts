import { expect, test } from 'vitest'
import { place } from '../support/coord.ts'
import { at } from '../support/record-builder.ts'

test.each([
  ["' or 1=1 --", "'"],
  [';drop table entries', ';'],
  ["no_such_column = 'x'", 'no_such_column'],
])(
  'case 20: the filter %s is an error that points at the place, and nothing runs',
  async (filter, culprit) => {
    const here = place()
    here.record.start('a', at(0))
    const before = (await here.run('query', 'entries', '--json')).json().rows
    const { code, stdout, stderr } = await here.run('query', 'entries', filter)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    const lines = stderr.split('\n')
    const caretLine = lines.findIndex(line => /^\s*\^+\s*$/.test(line))
    const shown = lines[caretLine - 1] ?? ''
    expect(shown.slice((lines[caretLine] ?? '').indexOf('^')), stderr).toMatch(culprit)
    expect(shown.slice((lines[caretLine] ?? '').indexOf('^')).startsWith(culprit), stderr).toBe(true)
    expect((await here.run('query', 'entries', '--json')).json().rows).toEqual(before)
    expect((await here.run('verify')).code).toBe(0)
  },
)
