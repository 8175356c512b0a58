import { describe, expect, test } from 'vitest'
import { controlsIn, hostileText } from '../support/control-characters.ts'
import { sharedPlace } from '../support/coord.ts'
import { parseCsv } from '../support/csv.ts'
import { at } from '../support/record-builder.ts'

const here = sharedPlace()
const { record } = here
const h = hostileText
record.start('top', at(0), { cwd: h, host: h, version: h, inbound: h })
record.start('lead', at(0), { cwd: h, later: { [h]: h } })
record.chain('lead', 'top', h, at(1), { brief: h, cwd: h })
record.chain('under', 'lead', h, at(1), { brief: h })
record.chain('loop', 'loop', h, at(1))
record.sent('lead', { as: h, sessionId: 'top' }, h, at(2), { isQueued: false, reason: h, msgId: h })
record.received('top', { as: h }, h, at(2), { envelope: { before: h, after: h }, msgId: h })
record.raw('top', '2026-11-01T100003.000Z-torn.json', `{"kind":"${h}`)
record.raw('top', `evil\u001b[31m\u202e${'\u009b'}.json`, '{}')
record.raw('evil\u001b[2J\u202e', '2026-11-01T100003.000Z-1.json', '{}')
record.entry('top', { kind: h, sessionId: h, at: h }, '2026-11-01T100004.000Z-1.json')
record.entry('top', { kind: 'start', sessionId: h, at: at(4) }, '2026-11-01T100004.000Z-2.json')

const relations = ['entries', 'messages', 'sessions', 'chain', 'unreadable']

describe('case 8: control characters of a body', () => {
  test.each([
    ['tree'],
    ['tree', '--all'],
    ['tree', '--json'],
    ['index'],
    ['index', '--json'],
    ['verify'],
    ['doctor'],
    ['attribute', '--text', h.replaceAll('\0', '')],
    ['attribute', '--text', h.replaceAll('\0', ''), '--json'],
    ['query', 'entries', `cwd = '${h.replaceAll('\0', '')}' colour`],
    ['query', `${h.replaceAll('\0', '')}`],
    ['tree', '--session', `${h.replaceAll('\0', '')}`],
    ['tree', `--${h.replaceAll('\0', '')}`],
    [h.replaceAll('\0', '')],
  ])('coord %s %s: none reaches stdout or stderr', async (...args) => {
    const { stdout, stderr } = await here.run(...args.filter(arg => arg !== undefined))
    expect(controlsIn(stdout), stdout).toEqual([])
    expect(controlsIn(stderr), stderr).toEqual([])
    expect(stdout + stderr).not.toBe('')
  })

  test.each(
    relations.flatMap(relation =>
      ['table', 'csv', 'tsv', 'ndjson', 'json'].map(format => [relation, format]),
    ),
  )('coord query %s --format %s: none reaches stdout or stderr', async (relation, format) => {
    const columns = (await here.run('query', relation as string, '--json', '--limit', '0')).json().columns
    const args = ['query', relation as string, '--format', format as string, '--select', columns.join()]
    const { code, stdout, stderr } = await here.run(...args)
    expect(code).toBe(8)
    // RFC 4180 ends the rows of CSV with CR LF; inside of a cell CR is a control character like others.
    expect(controlsIn(stdout.replaceAll('\r\n', '\n'), { tabs: format !== 'tsv' })).toEqual([])
    expect(controlsIn(stderr)).toEqual([])
    if (format === 'tsv') {
      const lines = stdout.replace(/\n$/, '').split('\n')
      for (const line of lines) expect(line.split('\t')).toHaveLength(columns.length)
    }
    if (format === 'csv') {
      for (const row of parseCsv(stdout)) {
        expect(row).toHaveLength(columns.length)
        expect(row.join()).not.toContain('\r')
      }
    }
  })

  test('a table row stays one line each', async () => {
    const { stdout } = await here.run('query', 'messages', '--select', 'side,text')
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .filter(line => /^(sent|received)\b/.test(line)),
    ).toHaveLength(2)
    expect(stdout.trimEnd().split('\n')).toHaveLength(3)
  })

  test('JSON keeps it exactly', async () => {
    const { rows } = (await here.run('query', 'messages', '--json')).json()
    expect(rows).toMatchObject([
      { side: 'sent', text: h, peer_as: h, reason: h },
      { side: 'received', text: h, envelope_before: h, envelope_after: h, peer_as: h },
    ])
    const lines = (await here.run('query', 'messages', '--format', 'ndjson')).stdout.trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line).text)).toEqual([h, h])
    const tree = (await here.run('tree', '--json')).json()
    expect(tree.chains[0].children[0]).toMatchObject({ part: h, brief: h })
  })

  test('--json has no colours even where they are forced', async () => {
    const outcome = await here.runWith({ env: { FORCE_COLOR: '3', CLICOLOR_FORCE: '1' } }, 'tree', '--json')
    expect(controlsIn(outcome.stdout)).toEqual([])
    expect(outcome.json().chains).not.toEqual([])
  })
})
