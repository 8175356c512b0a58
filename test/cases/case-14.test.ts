import { expect, test } from 'vitest'
import { place } from '../support/coord.ts'
import { parseCsv } from '../support/csv.ts'
import { at } from '../support/record-builder.ts'

const formulas = [
  '=1+1',
  '=cmd|"/c calc"!A1',
  '+1+1',
  '-1+1',
  '@SUM(A1)',
  '\t=1+1',
  '\r=1+1',
  '\n=1+1',
  '＝1+1',
  '＋1',
  '－1',
  '＠SUM(A1)',
  '"=1+1"',
  ' =1+1',
]

test('case 14: no cell of CSV or TSV begins like a formula, in any column', async () => {
  const here = place()
  for (const [i, formula] of formulas.entries()) {
    const more = { cwd: formula, reason: formula, isQueued: false, msgId: formula }
    here.record.sent('s', formula, formula, at(i), more)
    here.record.chain(`lead-${i}`, 's', formula, at(i), { brief: formula, cwd: formula })
    here.record.start('t', at(i), { cwd: formula, host: formula, version: formula, inbound: formula })
    here.record.raw('s', `=1+${i}.json`, '{}')
  }
  const isFormula = (cell: string) => /^[=+\-@\t\r\n＝＋－＠]/.test(cell)
  for (const relation of ['entries', 'messages', 'sessions', 'chain', 'unreadable']) {
    const csv = (await here.run('query', relation, '--format', 'csv')).stdout
    expect(parseCsv(csv).length, relation).toBeGreaterThan(1)
    expect(parseCsv(csv).flat().filter(isFormula), relation).toEqual([])
    const tsv = (await here.run('query', relation, '--format', 'tsv')).stdout
    const cells = tsv.split('\n').flatMap(line => line.split('\t'))
    expect(cells.filter(isFormula), relation).toEqual([])
  }
})

test('case 14: JSON keeps the text as it is', async () => {
  const here = place()
  for (const [i, formula] of formulas.entries()) here.record.sent('s', 'x', formula, at(i))
  const { rows } = (await here.run('query', 'messages', '--json')).json()
  expect(rows.map((row: { text: string }) => row.text)).toEqual(formulas)
})

test('case 14: numbers stay numbers and plain text stays plain', async () => {
  const here = place()
  here.record.sent('s', 'x', 'a = b', at(0))
  const { stdout } = await here.run('query', 'messages', '--select', 'text,text_length', '--format', 'csv')
  expect(parseCsv(stdout)[1]).toEqual(['a = b', '5'])
})
