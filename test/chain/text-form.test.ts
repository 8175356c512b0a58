import { describe, expect, test } from 'vitest'
import { place } from '../support/coord.ts'
import { at } from '../support/record-builder.ts'
import { nodesOf } from '../support/tree.ts'

const top = '6a6bf114-3c1f-4b52-9f65-0f3a2b1c4d5e'
const lead = '0f3a2b1c-4d5e-4b52-9f65-6a6bf1143c1f'

function chain() {
  const here = place()
  here.record.start(top, at(0))
  here.record.start(lead, at(60))
  here.record.chain(lead, top, 'port the scan', at(120))
  return here
}

describe('toolTree: coord tree as text', () => {
  test('holds of each session the whole id, role, part and last heard', async () => {
    const { code, stdout } = await chain().run('tree')
    expect(code).toBe(0)
    for (const shown of [top, lead, 'port the scan', 'top', 'lead']) expect(stdout).toContain(shown)
    expect(stdout.indexOf(top)).toBeLessThan(stdout.indexOf(lead))
  })

  test('times are the ones of this place, --utc gives the ones of the record', async () => {
    const here = chain()
    const local = await here.run('tree')
    expect(local.stdout).toContain('15:32')
    expect(local.stdout).not.toContain('10:02')
    const utc = await here.run('tree', '--utc')
    expect(utc.stdout).toContain('10:02')
    expect(utc.stdout).not.toContain('15:32')
    expect((await here.run('tree', '--json')).stdout).toContain('2026-11-01T10:02:00.000Z')
  })

  test('a query table shows times of this place too, and the record formats keep UTC', async () => {
    const here = chain()
    expect((await here.run('query', 'entries')).stdout).toContain('15:32')
    expect((await here.run('query', 'entries', '--utc')).stdout).toContain('10:02')
    for (const format of ['json', 'ndjson', 'csv', 'tsv']) {
      const { stdout } = await here.run('query', 'entries', '--format', format)
      expect(stdout, format).toContain('2026-11-01T10:02:00.000Z')
      expect(stdout, format).not.toContain('15:32')
    }
  })

  test('sessions alone are in the JSON; the text says how many there are and lists them with --all', async () => {
    const here = chain()
    for (const alone of ['alone-1', 'alone-2', 'alone-3']) here.record.start(alone, at(0))
    const tree = (await here.run('tree', '--json')).json()
    expect(nodesOf(tree.chains)).toHaveLength(5)
    const short = (await here.run('tree')).stdout
    expect(short).not.toContain('alone-1')
    expect(short).toMatch(/\b3\b/)
    const whole = (await here.run('tree', '--all')).stdout
    for (const alone of ['alone-1', 'alone-2', 'alone-3']) expect(whole).toContain(alone)
  })

  test('a record with no sessions has an answer', async () => {
    const here = place()
    const { code, stdout } = await here.run('tree')
    expect(code).toBe(0)
    expect(stdout.trim()).not.toBe('')
    expect((await here.run('tree', '--json')).json()).toMatchObject({ chains: [], cycles: [], notices: [] })
  })

  test('the notice about depth is in the text', async () => {
    const here = chain()
    here.record.chain('below', lead, 'part', at(180))
    const { stdout, stderr } = await here.run('tree')
    expect(stdout + stderr).toMatch(/level/i)
  })
})

describe('--session: the chain of one session', () => {
  test.each([top, lead])('from any of its members, %s', async session => {
    const here = chain()
    here.record.start('other', at(0))
    here.record.chain('others-lead', 'other', 'part', at(1))
    const tree = (await here.run('tree', '--session', session, '--json')).json()
    expect(nodesOf(tree.chains).map(node => node.sessionId)).toEqual([top, lead])
  })

  test('a session of which nothing is known is an error that names it', async () => {
    const outcome = await chain().run('tree', '--session', 'nobody', '--json')
    expect(outcome.code).toBe(1)
    expect(outcome.stdout).toBe('')
    expect(outcome.error()).toMatchObject({ kind: 'not-found', message: expect.stringContaining('nobody') })
  })

  test('ids: a shortened id is none', async () => {
    const outcome = await chain().run('tree', '--session', top.slice(0, 8), '--json')
    expect(outcome.code).toBe(1)
    expect(outcome.stdout).toBe('')
  })
})
