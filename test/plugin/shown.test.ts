import { describe, expect, it } from 'vitest'
import { chainTree } from '../../src/chain/chain-tree.ts'
import { sessionFacts } from '../../src/chain/session-facts.ts'
import { chainText, findNode } from '../../src/plugin/chain-text.ts'
import { showText } from '../../src/plugin/show-text.ts'
import { placeWords } from '../../src/plugin/status-line.ts'
import { at, recordBuilder, startFields } from '../support/record-builder.ts'
import { ADDRESS, hostSession, ID, OTHER, PEER, settled } from './support/host-session.ts'

const { cwd } = startFields

/** A tree of sessions that joined: id, parent (null for a top), part. */
function treeOf(...sessions: [string, string | null, string?][]) {
  const facts = sessions.flatMap(([id, parent, part = `part of ${id}`], index) => {
    const found = sessionFacts(id, [
      { name: 'a', at: at(index), kind: 'start', ...startFields },
      ...(parent === null ? [] : [{ name: 'b', at: at(index), cwd, kind: 'chain' as const, parent, part }]),
    ])
    return found ? [found] : []
  })
  return chainTree(facts)
}

function textOf(tree: ReturnType<typeof treeOf>, more: object = {}, now = at(60), forWhom: object = {}) {
  const reader = { sessionId: 'a', now: new Date(now), isMarkdown: true, peers: new Map(), ...forWhom }
  return chainText({ tree, publishedAt: null, foldersRead: 3, ...more }, reader)
}

describe('toolTree: the chain as text', () => {
  it('has each session with its full id, role, part, when it was last heard and the sent mark', () => {
    expect(textOf(treeOf(['top', null], ['lead', 'top', 'port']))).toBe(
      [
        'top top',
        `│\u00a0\u00a0last heard ${at(0)} (1 min ago)`,
        '└─\u00a0lead lead  port',
        `\u00a0\u00a0\u00a0\u00a0\u00a0\u00a0last heard ${at(1)} (59 s ago); sent its parent a message since it joined: no`,
        '',
        'read from the record’s files now (3 session folders)',
      ].join('\n'),
    )
  })

  it.each([
    [0, 'just now'],
    [0.999, 'just now'],
    [1, '1 s ago'],
    [59.999, '59 s ago'],
    [60, '1 min ago'],
    [3_599, '59 min ago'],
    [3_600, '1 h ago'],
    [86_399, '23 h ago'],
    [86_400, '1 d ago'],
    [86_400 * 40, '40 d ago'],
    [-5, 'just now'],
  ])('%s seconds are %s', (seconds, words) => {
    expect(textOf(treeOf(['a', null]), {}, at(seconds))).toContain(`last heard ${at(0)} (${words})`)
  })

  it('says as of when it was read from the index', () => {
    const text = textOf(treeOf(['a', null]), { publishedAt: at(7), foldersRead: 2 })
    expect(text.split('\n\n').at(-1)).toBe(
      `read from the index as of ${at(7)}, and from the files of 2 session folders`,
    )
  })

  it('says that a session without entries is in no chain that is known', () => {
    const text = textOf(treeOf())
    expect(text).toContain('session a has no entries in the record, so its chain is unknown')
    for (const tree of [treeOf(['a', null]), treeOf(['a', 'b'], ['b', 'a'])])
      expect(textOf(tree)).not.toContain('has no entries')
  })

  it('marks the session that asks, and says how the others are reached now', () => {
    const peers = new Map([
      ['a', { name: 'self', address: 'uds:/run/1.sock' }],
      ['b', { name: 'par*ser', address: 'uds:/run/a_2.sock' }],
      ['c', { name: null, address: 'uds:/run/3.sock' }],
      ['gone', { name: 'elsewhere', address: null }],
      ['d', { name: null, address: null }],
    ])
    const tree = treeOf(['a', 'gone'], ['b', 'gone'], ['c', 'gone'], ['d', 'gone'])
    const text = textOf(tree, {}, at(60), { peers, isMarkdown: false })
    const reached = text.split('\n').flatMap(line => /reached now as (.*)$/.exec(line)?.[1] ?? [])
    expect(reached).toEqual(['elsewhere', 'par*ser or uds:/run/a_2.sock', 'uds:/run/3.sock'])
    expect(text.match(/← this session/g)).toHaveLength(1)
    expect(text).toContain('lead a ← this session')
    expect(textOf(tree, {}, at(60), { peers })).toContain('par\\*ser or uds:/run/a\\_2.sock')
  })

  it('holds no signs of Markdown for a model, and hidden characters as escapes', () => {
    const tree = treeOf(['a', null], ['b', 'a', 'foo_bar.ts [urgent] \u202e'])
    const text = textOf(tree, {}, at(60), { isMarkdown: false })
    expect(text).toContain('lead b  foo_bar.ts [urgent] \\u{202e}')
    expect(text).toContain('└─ lead')
  })

  it('has the notices, each on a line of its own', () => {
    const text = textOf(treeOf(['a', null], ['b', 'a'], ['c', 'b', '*x*'], ['d', 'c']))
    const lines = text.split('\n').filter(line => line.startsWith('! '))
    expect(lines).toHaveLength(2)
    expect(lines[0]).toBe('! the chain has grown a level: c (\\*x\\*) joined under the lead b, at depth 2')
    expect(textOf(treeOf(['a', null], ['b', 'a'], ['c', 'b'])).match(/^! /gm)).toHaveLength(1)
    expect(textOf(treeOf(['a', null]))).not.toContain('!')
  })

  it('is safe where Markdown is drawn, with no text of the record at its word', () => {
    const hostile = '`rm` *b* _i_ [a](b) <b> # | ~s~ $x$ &amp; !\u001b[31m\u202e\\'
    const text = textOf(treeOf(['a', null], ['b', 'a', hostile]))
    expect(text).toContain(
      'lead b  \\`rm\\` \\*b\\* \\_i\\_ \\[a\\](b) \\<b\\> \\# \\| \\~s\\~ \\$x\\$ \\&amp; \\!\\\\x1b\\[31m\\\\u{202e}\\\\',
    )
  })
})

describe('showText', () => {
  it.each(['\\', '`', '*', '_', '[', ']', '<', '>', '#', '|', '~', '$', '&', '!'])(
    '%s stands for itself',
    sign => {
      expect(showText(`a${sign}b${sign}`)).toBe(`a\\${sign}b\\${sign}`)
    },
  )

  it('leaves what begins nothing as it is', () => {
    const text = '(a) {b} c+d-e: f.g, "h" ä 中 👩‍👧 /usr/bin 1/2'
    expect(showText(text)).toBe(text)
  })
})

describe('rule.quietUnlessUseful: the place in a chain', () => {
  const tree = treeOf(
    ['a', null],
    ['b', 'a', 'two \u001b words'],
    ['c', 'a'],
    ['d', null],
    ['e', 'd'],
    ['f', null],
  )

  it.each([
    ['a', 'top: 2 leads'],
    ['b', 'lead of a: two \\x1b words'],
    ['d', 'top: 1 lead'],
    ['e', 'lead of d: part of e'],
    ['f', null],
    ['nobody', null],
  ])('of %s is %j', (id, words) => {
    expect(placeWords(tree, id)).toBe(words)
  })

  it('of a lead below a lead is that of its own parent, by the first part of its id', () => {
    const deep = treeOf([OTHER, null], [PEER, OTHER], [ID, PEER, 'deep'])
    expect(placeWords(deep, ID)).toBe('lead of 0f3a2b1c: deep')
    expect(placeWords(deep, PEER)).toBe(`lead of 7d1f0c1e: part of ${PEER}`)
    expect(findNode(deep.chains, ID)).toMatchObject({ sessionId: ID, depth: 2 })
  })

  it('in a cycle says so, and of what hangs below one is that of a lead', () => {
    const round = treeOf(['a', 'b'], ['b', 'a'], ['c', 'b', 'x'])
    expect([placeWords(round, 'a'), placeWords(round, 'b')]).toEqual(Array(2).fill('in a cycle of joins'))
    expect(placeWords(round, 'c')).toBe('lead of b: x')
    expect(placeWords(round, 'd')).toBeNull()
  })
})

describe('the status line', () => {
  it('is empty for a session that stands alone and accepts', async () => {
    const host = hostSession()
    host.settings.user = { crossSessionInbound: 'accept' }
    await host.start()
    expect(host.shown.status).toEqual([])
  })

  it.each([
    ['accept', 'top: 1 lead'],
    ['hold', 'top: 1 lead, inbound: hold'],
    ['refuse', 'top: 1 lead, inbound: refuse'],
    [undefined, 'top: 1 lead'],
  ])('shows the place, and the inbound state where it is hold or refuse: %s', async (state, line) => {
    const host = hostSession()
    host.settings.user = { crossSessionInbound: state }
    recordBuilder(host.recordDir).chain(PEER, ID, 'p', at(0))
    await host.start()
    expect(host.shown.status.at(-1)).toBe(line)
  })

  it('never holds up the message that gave rise to it, and calls in between are one more drawing', async () => {
    const host = hostSession()
    await host.start()
    let goOn = () => {}
    const { list } = host.files.fs
    const held = new Promise<void>(done => {
      goOn = done
    })
    host.files.fs.list = async path => {
      await held
      return list(path)
    }
    for (const text of ['a', 'b', 'c'])
      await host.raiseSent('uds:/run/no-pid', text, {}, { kind: 'plugin', name: 'p' })
    expect(host.shown.status).toEqual([])
    recordBuilder(host.recordDir).chain(ID, OTHER, 'late', new Date().toISOString())
    goOn()
    await settled()
    expect(host.shown.status).toEqual(['lead of 7d1f0c1e: late'])
    expect(host.messages()).toHaveLength(3)
  })

  it('a line that cannot be drawn is drawn at the next event', async () => {
    const host = hostSession()
    host.settings.user = { crossSessionInbound: 'hold' }
    const { status } = host.$.ui
    host.$.ui.status = () => {
      throw new Error('no line')
    }
    await host.start()
    host.$.ui.status = status
    await host.raiseSent(ADDRESS, 'x', {}, { kind: 'plugin', name: 'p' })
    await settled()
    expect(host.shown.status).toEqual(['inbound: hold'])
    expect(host.logged(/^fault/)).toEqual([])
  })
})
