import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { chainTree } from '../../src/chain/chain-tree.ts'
import { sessionFacts } from '../../src/chain/session-facts.ts'
import type { EntryRow } from '../../src/database/tables.ts'
import { type LastSent, type ToldNode, withLastSent } from '../../src/query/last-sent.ts'
import { joinNotice } from '../../src/record/join-notice.ts'
import { EvidenceFixture, later } from './attribution/evidence.ts'

const NOTICE = joinNotice({ sessionId: 'L', part: 'the parser' })

/** A lead L of the top P, that joined at 10; its messages come in the order in which they are told. */
class LeadFixture extends EvidenceFixture {
  constructor() {
    super()
    const { name } = this.entry({
      ...{ session_id: 'L', kind: 'chain', parent: 'P', part: 'the parser', at: later(10) },
    })
    this.session({
      ...{ session_id: 'L', parent: 'P', part: 'the parser', joined_at: later(10), join_entry_name: name },
    })
    this.session({ session_id: 'P' })
  }

  says(text: string | null, at: number, more: Partial<EntryRow> = {}, to = 'P'): string {
    return this.sent('L', { id: to }, { text, at: later(at), ...more })
  }

  /** What the tree says of L where its mark is yes. */
  last(mark: 'yes' | 'no' | 'unknown' = 'yes'): LastSent | null | undefined {
    const node = { role: 'lead' as const, brief: null, lastHeard: null, depth: 1, children: [] }
    const lead = { ...node, sessionId: 'L', part: 'the parser', parent: 'P', joinedAt: later(10) }
    const tree = { chains: [{ ...lead, sentParentSinceJoin: mark }], cycles: [], notices: [] }
    return withLastSent(this.sqlite, tree).chains[0]?.lastSentParent
  }
}

describe('rule.deliveryResult: the last message of a lead to its parent', () => {
  it('is the latest that was queued since it joined, by time and then by name', () => {
    const here = new LeadFixture()
    here.says('before it joined', 9)
    here.says('first', 11)
    here.says('second', 12)
    const last = here.says('third', 12)
    here.says('not queued', 13, { is_queued: 0 })
    here.says('to another', 14, {}, 'X')
    here.received('L', { id: 'P' }, { at: later(15) })
    expect(here.last()).toEqual({ at: later(12), file: last, fate: null, fateEvidence: null })
  })

  it('is in the millisecond of the join what comes after it by its name', () => {
    const here = new LeadFixture()
    here.says('before', 10, { name: '2026-11-01T100000.000Z-load-000000.json' })
    expect(here.last()).toBeNull()
    const after = here.says('after', 10)
    expect(here.last()?.file).toBe(after)
  })

  it('rule.chainCommand: is not the notice that joining sent; the same words sent again are a message', () => {
    const here = new LeadFixture()
    here.says(NOTICE, 11)
    expect(here.last()).toBeNull()
    const again = here.says(NOTICE, 12)
    expect(here.last()?.file).toBe(again)
    const plain = here.says('done', 13)
    expect(here.last()?.file).toBe(plain)
    here.says(NOTICE, 14)
    expect(here.last()?.at).toBe(later(14))
  })

  it('is what was sent before, where joining sent its notice late', () => {
    const here = new LeadFixture()
    here.says('begun', 11)
    const last = here.says('half done', 12)
    here.says(NOTICE, 13)
    expect(here.last()?.file).toBe(last)
  })

  it('rule.metadataOnly: knows the notice by its hash', () => {
    const here = new LeadFixture()
    const text_sha256 = hash('sha256', NOTICE)
    here.says(null, 11, { text_sha256, has_text: 0 })
    expect(here.last()).toBeNull()
  })

  it.each(['no', 'unknown'] as const)('is not looked for where the mark is %s', mark => {
    const here = new LeadFixture()
    here.says('done', 11)
    expect(here.last(mark)).toBeNull()
  })
})

it('keeps the tree as it is, however deep', () => {
  const deep = 20_000
  const facts = Array.from({ length: deep }, (_, index) => {
    const join = {
      name: '1.json',
      at: later(0),
      cwd: '/c',
      kind: 'chain' as const,
      parent: `s${index - 1}`,
      part: 'p',
    }
    const start = {
      name: '0.json',
      at: later(0),
      cwd: '/c',
      kind: 'start' as const,
      host: 'h',
      version: '1',
      inbound: 'accept',
    }
    return sessionFacts(`s${index}`, index === 0 ? [start] : [start, join])
  }).filter(one => one !== null)
  const tree = chainTree(facts)
  const told = withLastSent(new EvidenceFixture().sqlite, tree)
  expect([told.cycles, told.notices]).toEqual([tree.cycles, tree.notices])
  let nodes = 0
  let original = tree.chains[0]
  for (let node: ToldNode | undefined = told.chains[0]; node; node = node.children[0]) {
    const { lastSentParent, children, ...said } = node
    const { children: _, ...before } = original as NonNullable<typeof original>
    if (nodes % 1000 === 0)
      expect([said, lastSentParent, children.length]).toEqual([before, null, nodes < deep - 1 ? 1 : 0])
    original = original?.children[0]
    nodes += 1
  }
  expect(nodes).toBe(deep)
})
