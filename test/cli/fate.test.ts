import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { joinNotice } from '../../src/record/join-notice.ts'
import { sharedPlace } from '../support/coord.ts'
import { parseCsv } from '../support/csv.ts'
import { heldNotice, msgId, refusedNotice } from '../support/delivery-notices.ts'
import { at, resolved } from '../support/record-builder.ts'
import { session, transcriptBuilder } from '../support/sample-transcripts.ts'

const [TOP, LEAD, SHUT] = [session(1), session(2), session(3)]
const HOSTS = {
  ...{ isMeta: true, promptSource: 'system', rowSource: 'harness', turnOrigin: 'system' },
  origin: undefined,
}

const here = sharedPlace()
const claude = transcriptBuilder(join(here.dir, 'claude'))
const out = join(here.dir, 'out')

here.record.start(TOP, at(0))
here.record.chain(LEAD, TOP, 'the parser', at(1))
here.record.sent(LEAD, resolved(TOP), joinNotice({ sessionId: LEAD, part: 'the parser' }), at(2), {
  msgId: msgId(1),
})
const report = here.record.sent(LEAD, resolved(TOP), 'all tests pass', at(3), { msgId: msgId(2) })
const arrival = here.record.received(TOP, resolved(LEAD), 'all tests pass', at(4), { outcome: 'rejected' })
const refused = here.record.sent(LEAD, resolved(SHUT), 'are you there', at(5), { msgId: msgId(3) })
here.record.sent(LEAD, 'nobody', 'lost', at(6), { isQueued: false, reason: 'No agent named' })
here.record.sent(LEAD, resolved(SHUT), 'an earlier one', at(7))

claude.row(LEAD, {
  ...{ type: 'assistant', uuid: 'a-1', timestamp: at(3), sessionId: LEAD, cwd: '/c', version: '2.1.332' },
  message: {
    ...{ id: 'msg_1', role: 'assistant' },
    content: [
      { type: 'tool_use', id: 't-1', name: 'SendMessage', input: { to: 'x', message: 'all tests pass' } },
    ],
  },
})
claude.row(LEAD, {
  ...{ type: 'user', uuid: 'r-1', timestamp: at(3), sessionId: LEAD, cwd: '/c', version: '2.1.332' },
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't-1', content: '{}' }] },
  toolUseResult: { success: true, msg_id: msgId(2) },
})
claude.typed(LEAD, [heldNotice(msgId(2)), refusedNotice(msgId(3))].join('\n'), at(8), HOSTS)
claude.typed(TOP, 'Another Claude session sent a message:\nall tests pass', at(2000), {
  ...{ isMeta: true, promptSource: 'system', turnOrigin: 'peer' },
  origin: { kind: 'peer', from: 'uds:/s/2.sock', msg_id: msgId(2), body: 'all tests pass' },
})

const FATES = ['query', 'messages', '--select', 'text,side,fate,fate_evidence']
const evidence = (stage: string, number: number, file: string, line: number) => {
  const { uuid } = JSON.parse(readFileSync(file, 'utf8').split('\n')[line - 1] as string)
  return `${stage}: msg_id ${msgId(number)} in ${file} line ${line}, row ${uuid}, scan ${out}`
}
const isRead = () => evidence('read', 2, claude.file(TOP), 1)
const isRefused = () => evidence('refused', 3, claude.file(LEAD), 3)

let before: { fates: unknown[]; tree: { chains: { children: { lastSentParent: unknown }[] }[] } }

beforeAll(async () => {
  const { rows } = (await here.run(...FATES, '--json')).json()
  before = {
    fates: rows.flatMap((row: Record<string, unknown>) => [row.fate, row.fate_evidence]),
    tree: (await here.run('tree', '--json')).json(),
  }
  const scan = await here.run('scan', out, '--claude', claude.dir)
  expect(scan.code, scan.stderr).toBe(0)
})

describe('ruling 13: coord query messages', () => {
  test('knows no fate without a scan, and what the scan shows with one', async () => {
    expect(new Set(before.fates)).toEqual(new Set([null]))
    const { rows } = (await here.run(...FATES, '--json')).json()
    expect(rows.map((row: Record<string, unknown>) => Object.values(row))).toEqual([
      [expect.stringContaining('has joined'), 'sent', 'unknown', null],
      // It was held for half an hour; the record says that it was rejected, and goes on saying so.
      ['all tests pass', 'sent', 'read', isRead()],
      ['all tests pass', 'received', 'read', isRead()],
      ['are you there', 'sent', 'refused', isRefused()],
      ['lost', 'sent', null, null],
      ['an earlier one', 'sent', 'unknown', null],
    ])
    const { rows: outcomes } = (
      await here.run('query', 'messages', "side = 'received'", '--select', 'file,outcome', '--json')
    ).json()
    expect(outcomes).toEqual([{ file: arrival, outcome: 'rejected' }])
  })

  test('gives it in every format, and filters, orders and counts by it', async () => {
    const question = [...FATES, '--order', 'fate desc, at']
    const ordered = ['unknown', 'unknown', 'refused', 'read', 'read', '']
    const csv = parseCsv((await here.run(...question, '--format', 'csv')).stdout)
    expect(csv[0]).toEqual(['text', 'side', 'fate', 'fate_evidence'])
    expect(csv.slice(1).map(row => row[2])).toEqual(ordered)
    expect(csv[4]?.[3]).toBe(isRead())
    const tsv = (await here.run(...question, '--format', 'tsv')).stdout.slice(0, -1).split('\n')
    expect(tsv.slice(1).map(line => line.split('\t')[2])).toEqual(ordered)
    const ndjson = (await here.run(...question, '--format', 'ndjson')).stdout.trimEnd().split('\n')
    expect(ndjson.map(line => JSON.parse(line).fate ?? '')).toEqual(ordered)
    const table = (await here.run('query', 'messages', '--select', 'fate,text', '--format', 'table')).stdout
    expect(table).toMatch(/\nrefused +are you there/)
    const count = await here.run('query', 'messages', "fate in ('read', 'refused')", '--count')
    expect(count.stdout.trim()).toBe('3')
    const found = await here.run('query', 'messages', "fate_evidence like 'refused:%'", '--json')
    expect(found.json().rows).toMatchObject([{ text: 'are you there', fate: 'refused' }])
  })

  test('lists the columns, and says of a wrong name what would fit', async () => {
    const { stdout } = await here.run('query', 'messages', '--columns')
    expect(stdout).toMatch(/^ *fate +text +what became of it/m)
    expect(stdout).toMatch(/^ *fate_evidence +text /m)
    const wrong = await here.run('query', 'messages', "fates = 'read'")
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('did you mean fate?')
  })

  test('says the same of an index that is built anew', async () => {
    const asked = async () => (await here.run(...FATES, '--json')).json().rows
    const rows = await asked()
    await here.run('index', '--rebuild')
    expect(await asked()).toEqual(rows)
  })
})

describe('ruling 13: what else answers with it', () => {
  test('the JSON of the tree: what became of a lead’s last message to its parent', async () => {
    const lead = { at: at(3), file: report, fate: null, fateEvidence: null }
    expect(before.tree.chains[0]?.children[0]?.lastSentParent).toEqual(lead)
    const { chains } = (await here.run('tree', '--json')).json()
    expect(chains[0]).toMatchObject({ sessionId: TOP, lastSentParent: null })
    expect(chains[0].children).toMatchObject([
      {
        ...{ sessionId: LEAD, sentParentSinceJoin: 'yes' },
        lastSentParent: { ...lead, fate: 'read', fateEvidence: isRead() },
      },
    ])
  })

  test('attribution: of each entry among the candidates', async () => {
    const ask = async (...args: string[]) => (await here.run('attribute', ...args, '--json')).json()
    const told = (candidates: Record<string, unknown>[]) =>
      candidates.flatMap(one => ('file' in one ? [[one.file, one.fate, one.fateEvidence]] : []))
    expect(told((await ask('--text', 'all tests pass')).candidates)).toEqual([[arrival, 'read', isRead()]])
    expect(told((await ask('--text', 'are you there')).candidates)).toEqual([
      [refused, 'refused', isRefused()],
    ])
    const { stdout } = await here.run('attribute', '--text', 'are you there')
    expect(stdout).toContain(`, fate refused  ${refused}`)
  })

  test('nothing any more, once the scan is gone', async () => {
    rmSync(out, { recursive: true })
    const { rows } = (await here.run(...FATES, '--json')).json()
    expect(new Set(rows.map((row: { fate: unknown }) => row.fate))).toEqual(new Set([null]))
    const { chains } = (await here.run('tree', '--json')).json()
    expect(chains[0].children[0].lastSentParent).toEqual({
      ...{ at: at(3), file: report, fate: null, fateEvidence: null },
    })
  })
})
