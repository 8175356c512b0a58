import { describe, expect, test } from 'vitest'
import { place } from '../support/coord.ts'
import { at } from '../support/record-builder.ts'
import { formOf, nodeOf, nodesOf } from '../support/tree.ts'
import { treeInProcess } from '../support/tree-in-process.ts'

describe('rule.treeFromEntries', () => {
  test('a lead stands under the parent it declared, with its part and its brief', async () => {
    const { record, ...here } = place()
    record.start('top', at(0))
    record.start('lead', at(1))
    record.chain('lead', 'top', 'port the scan', at(2), { brief: 'docs/brief.md' })
    const tree = await treeInProcess({ record, ...here })
    expect(tree.chains).toEqual([
      {
        sessionId: 'top',
        role: 'top',
        part: null,
        brief: null,
        parent: null,
        joinedAt: null,
        lastHeard: at(0),
        sentParentSinceJoin: null,
        depth: 0,
        children: [
          {
            sessionId: 'lead',
            role: 'lead',
            part: 'port the scan',
            brief: 'docs/brief.md',
            parent: 'top',
            joinedAt: at(2),
            lastHeard: at(2),
            sentParentSinceJoin: 'no',
            depth: 1,
            children: [],
          },
        ],
      },
    ])
    expect(tree.cycles).toEqual([])
    expect(tree.notices).toEqual([])
  })

  test('a parent that never declared, and whose records are here, is a top with no part', async () => {
    const here = place()
    here.record.received('parent', 'someone', 'hello', at(0))
    here.record.chain('lead', 'parent', 'a part', at(1))
    expect(nodeOf(await treeInProcess(here), 'parent')).toMatchObject({ role: 'top', part: null, depth: 0 })
  })

  test('rule.rolesFollowParents: a session with no parent and no lead is a top', async () => {
    const here = place()
    here.record.start('alone', at(0))
    expect(nodeOf(await treeInProcess(here), 'alone')).toMatchObject({
      role: 'top',
      children: [],
      parent: null,
    })
  })

  test('chains are apart from each other', async () => {
    const here = place()
    for (const top of ['a', 'b']) {
      here.record.start(top, at(0))
      for (const lead of ['1', '2']) here.record.chain(`${top}${lead}`, top, 'part', at(1))
    }
    expect(formOf((await treeInProcess(here)).chains)).toEqual([
      [
        'a',
        [
          ['a1', []],
          ['a2', []],
        ],
      ],
      [
        'b',
        [
          ['b1', []],
          ['b2', []],
        ],
      ],
    ])
  })

  test('messages alone give no session a role', async () => {
    const here = place()
    here.record.start('a', at(0))
    here.record.start('b', at(0))
    here.record.sent('a', { as: 'b', sessionId: 'b' }, 'do this', at(1))
    here.record.received('b', { as: 'a', sessionId: 'a' }, 'do this', at(1))
    expect(nodesOf((await treeInProcess(here)).chains).map(({ role }) => role)).toEqual(['top', 'top'])
  })

  test('an id that is the name of a field of every object is a session like others', async () => {
    const here = place()
    here.record.start('constructor', at(0))
    here.record.chain('toString', 'constructor', 'part', at(1))
    here.record.chain('hasOwnProperty', 'valueOf', 'part', at(1))
    expect(formOf((await treeInProcess(here)).chains)).toEqual([
      ['constructor', [['toString', []]]],
      ['valueOf', [['hasOwnProperty', []]]],
    ])
  })

  test('ids that differ in case only are two sessions', async () => {
    const here = place()
    here.record.start('top', at(0))
    here.record.start('Top', at(0))
    here.record.chain('lead', 'Top', 'part', at(1))
    expect(formOf((await treeInProcess(here)).chains)).toEqual([
      ['Top', [['lead', []]]],
      ['top', []],
    ])
  })
})

describe('rule.laterJoinReplaces', () => {
  test('the later join is shown, the record keeps both, one is current', async () => {
    const here = place()
    for (const session of ['one', 'two', 'lead']) here.record.start(session, at(0))
    here.record.chain('lead', 'one', 'first part', at(1), { brief: 'old.md' })
    here.record.chain('lead', 'two', 'second part', at(2))
    const tree = await treeInProcess(here)
    expect(formOf(tree.chains)).toEqual([
      ['one', []],
      ['two', [['lead', []]]],
    ])
    expect(nodeOf(tree, 'lead')).toMatchObject({ part: 'second part', brief: null, joinedAt: at(2) })
    const { rows } = (await here.run('query', 'chain', '--json')).json()
    expect(rows).toHaveLength(2)
    expect(rows.filter((row: { is_current: unknown }) => row.is_current)).toMatchObject([
      { session_id: 'lead', parent: 'two', part: 'second part', brief: null },
    ])
  })

  test('the time of the entry decides, not the order in which the files came', async () => {
    const here = place()
    for (const session of ['one', 'two']) here.record.start(session, at(0))
    here.record.chain('lead', 'two', 'later', at(9))
    expect((await treeInProcess(here)).chains).toHaveLength(2)
    here.record.chain('lead', 'one', 'earlier', at(1))
    expect(nodeOf(await treeInProcess(here), 'lead')).toMatchObject({
      parent: 'two',
      part: 'later',
      joinedAt: at(9),
    })
  })

  test('of two joins in one millisecond the later file name is the later join', async () => {
    const here = place()
    const entry = { kind: 'chain', sessionId: 'lead', at: at(1), cwd: '/', parent: 'top' }
    here.record.start('top', at(0))
    here.record.entry('lead', { ...entry, part: 'second' }, '2026-11-01T100001.000Z-x-000002.json')
    here.record.entry('lead', { ...entry, part: 'first' }, '2026-11-01T100001.000Z-x-000001.json')
    expect(nodeOf(await treeInProcess(here), 'lead').part).toBe('second')
  })
})

describe('rule.localRecordsOnly, case 5', () => {
  test('a parent with no records here is a boundary with its id, never a session with no part', async () => {
    const here = place()
    here.record.chain('lead', 'elsewhere', 'a part', at(1))
    here.record.chain('lead2', 'elsewhere', 'another part', at(1))
    const tree = await treeInProcess(here)
    expect(formOf(tree.chains)).toEqual([
      [
        'elsewhere',
        [
          ['lead', []],
          ['lead2', []],
        ],
      ],
    ])
    expect(tree.chains[0]).toMatchObject({
      role: 'boundary',
      part: null,
      brief: null,
      parent: null,
      joinedAt: null,
      lastHeard: null,
      sentParentSinceJoin: null,
    })
    expect(nodeOf(tree, 'lead')).toMatchObject({ role: 'lead', parent: 'elsewhere' })
  })

  test('when its records come, it is a session', async () => {
    const here = place()
    here.record.chain('lead', 'parent', 'a part', at(1))
    expect((await treeInProcess(here)).chains[0]?.role).toBe('boundary')
    here.record.start('parent', at(0))
    expect((await treeInProcess(here)).chains[0]).toMatchObject({ role: 'top', lastHeard: at(0) })
  })

  test('the text says so, with the whole id', async () => {
    const here = place()
    here.record.chain('lead', '6a6bf114-3c1f-4b52-9f65-0f3a2b1c4d5e', 'a part', at(1))
    const { stdout } = await here.run('tree')
    expect(stdout).toMatch(
      /6a6bf114-3c1f-4b52-9f65-0f3a2b1c4d5e.*boundary|boundary.*6a6bf114-3c1f-4b52-9f65-0f3a2b1c4d5e/,
    )
  })
})

describe('rule.depthIsShown, case 6', () => {
  test('a lead under a lead has a notice that names it, and nothing refuses it', async () => {
    const here = place()
    here.record.start('top', at(0))
    here.record.chain('lead', 'top', 'part', at(1))
    expect((await treeInProcess(here)).notices).toEqual([])
    here.record.chain('below', 'lead', 'part', at(2))
    const tree = await treeInProcess(here)
    expect(nodeOf(tree, 'below')).toMatchObject({ depth: 2, role: 'lead', parent: 'lead' })
    expect(tree.notices.join('\n')).toContain('below')
  })

  test('a line of 300 sessions is drawn to its end', async () => {
    const here = place()
    const ids = Array.from({ length: 300 }, (_, number) => `s${number}`)
    here.record.start('s0', at(0))
    for (let i = 1; i < ids.length; i++) here.record.chain(`s${i}`, `s${i - 1}`, 'part', at(i))
    const tree = await treeInProcess(here)
    const depths = nodesOf(tree.chains).map(node => [node.sessionId, node.depth])
    expect(depths).toEqual(ids.map((id, depth) => [id, depth]))
    expect((await here.run('tree')).stdout).toContain('s299')
  })
})

describe('rule.lastHeardNotAlive', () => {
  const latest: [string, (record: ReturnType<typeof place>['record']) => void][] = [
    ['start', record => record.start('lead', at(50))],
    ['chain', record => record.chain('lead', 'top', 'part', at(50))],
    ['sent', record => record.sent('lead', 'x', 'text', at(50))],
    [
      'sent but not queued',
      record => record.sent('lead', 'x', 'text', at(50), { isQueued: false, reason: 'no' }),
    ],
    ['received', record => record.received('lead', 'x', 'text', at(50))],
    ['rejected', record => record.received('lead', 'x', 'text', at(50), { outcome: 'rejected' })],
  ]

  test.each(latest)('last heard is from the latest entry, also from %s', async (_, write) => {
    const here = place()
    here.record.start('top', at(0))
    here.record.chain('lead', 'top', 'part', at(1))
    write(here.record)
    here.record.received('lead', 'x', 'earlier', at(20))
    expect(nodeOf(await treeInProcess(here), 'lead').lastHeard).toBe(at(50))
  })

  test('the time is the one in the entry, where the name of its file states another', async () => {
    const here = place()
    here.record.start('top', at(0))
    const entry = {
      kind: 'start',
      sessionId: 'top',
      at: at(7),
      cwd: '/',
      host: 'h',
      version: '1',
      inbound: '',
    }
    here.record.entry('top', entry, '2027-01-01T000000.000Z-1.json')
    expect(nodeOf(await treeInProcess(here), 'top').lastHeard).toBe(at(7))
  })

  test('no session is ever called alive or dead', async () => {
    const here = place()
    here.record.start('top', at(0))
    here.record.chain('lead', 'top', 'part', at(1))
    for (const args of [['tree'], ['tree', '--json'], ['query', 'sessions']]) {
      expect((await here.run(...args)).stdout).not.toMatch(/\b(alive|dead|running|stopped|idle|active)\b/i)
    }
  })
})
