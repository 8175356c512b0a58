import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { sharedPlace } from '../support/coord.ts'
import { parseCsv } from '../support/csv.ts'
import { at, resolved } from '../support/record-builder.ts'

const here = sharedPlace()
here.record.start('top', at(0))
here.record.chain('lead', 'top', 'a part, "quoted"', at(1))
here.record.sent('lead', resolved('top'), 'one\ntwo, "three"', at(2))
here.record.sent('lead', resolved('top'), '', at(3), { isQueued: false, reason: 'no' })

const select = ['--select', 'at,text,reason,is_queued']

describe('coord query --format', () => {
  test('json is what --json prints', async () => {
    const format = await here.run('query', 'messages', ...select, '--format', 'json')
    const json = await here.run('query', 'messages', ...select, '--json')
    expect(format.json().rows).toEqual(json.json().rows)
    expect(format.json().columns).toEqual(json.json().columns)
  })

  test('ndjson is one row in each line, and nothing else', async () => {
    const { stdout } = await here.run('query', 'messages', ...select, '--format', 'ndjson')
    expect(stdout.endsWith('\n')).toBe(true)
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(rows).toEqual([
      { at: at(2), text: 'one\ntwo, "three"', reason: null, is_queued: true },
      { at: at(3), text: '', reason: 'no', is_queued: false },
    ])
  })

  test('csv has a head line, quotes what needs it, and reads back', async () => {
    const { stdout } = await here.run('query', 'messages', ...select, '--format', 'csv')
    expect(parseCsv(stdout)).toEqual([
      ['at', 'text', 'reason', 'is_queued'],
      [at(2), 'one\ntwo, "three"', '', 'true'],
      [at(3), '', 'no', 'false'],
    ])
  })

  test('tsv has as many columns in each line as there are', async () => {
    const { stdout } = await here.run('query', 'messages', ...select, '--format', 'tsv')
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(3)
    for (const line of lines) expect(line.split('\t')).toHaveLength(4)
    expect(lines[0]).toBe('at\ttext\treason\tis_queued')
  })

  test('table is for people: a head and a line for each row', async () => {
    const { stdout } = await here.run('query', 'chain', '--format', 'table', '--select', 'session_id,part')
    expect(stdout).toMatch(/session_id\s+part/)
    expect(stdout).toMatch(/lead\s+a part, "quoted"/)
  })

  test.each(['json', 'ndjson', 'csv', 'tsv', 'table'])(
    '%s of no rows has an answer, exit 0',
    async format => {
      const outcome = await here.run('query', 'messages', "side = 'nothing'", '--format', format)
      expect(outcome.code).toBe(0)
      if (format === 'json') expect(outcome.json().rows).toEqual([])
      if (format === 'ndjson') expect(outcome.stdout).toBe('')
      if (format === 'csv') expect(parseCsv(outcome.stdout)).toHaveLength(1)
    },
  )

  test('a reader that closes the pipe early is no error', async () => {
    const program = new URL('../../dist/coord.js', import.meta.url).pathname
    const command = `"${process.execPath}" "${program}" query messages --format ndjson | head -n 1`
    const { stdout, stderr } = spawnSync('sh', ['-c', command], {
      encoding: 'utf8',
      env: { ...process.env, COORD_RECORD_DIR: here.record.dir, XDG_CACHE_HOME: here.cache },
    })
    expect(stdout.split('\n')).toHaveLength(2)
    expect(stderr).not.toContain('EPIPE')
  })
})
