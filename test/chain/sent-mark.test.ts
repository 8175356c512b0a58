import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { joinNotice } from '../../src/record/join-notice.ts'
import { type Place, place } from '../support/coord.ts'
import { at, type RecordBuilder, resolved } from '../support/record-builder.ts'
import { nodeOf, type TreeNode } from '../support/tree.ts'
import { treeInProcess } from '../support/tree-in-process.ts'

const lead = { sessionId: 'lead', part: 'the part' }
const notice = joinNotice(lead)
const parent = resolved('top')

/** A top and a lead that started at 1 and joined at 2. */
function chain(): Place {
  const here = place()
  here.record.start('top', at(0))
  here.record.start('lead', at(1))
  here.record.chain('lead', 'top', lead.part, at(2))
  return here
}

async function markOf(here: Place, session = 'lead'): Promise<TreeNode['sentParentSinceJoin']> {
  return nodeOf(await treeInProcess(here), session).sentParentSinceJoin
}

async function markAfter(write: (record: RecordBuilder) => void) {
  const here = chain()
  write(here.record)
  return markOf(here)
}

function digest(text: string) {
  return {
    text: undefined,
    textLength: Buffer.byteLength(text),
    textSha256: createHash('sha256').update(text).digest('hex'),
  }
}

describe('rule.chainCommand: whether a lead has sent its parent a message since it joined', () => {
  const yes: [string, (record: RecordBuilder) => void][] = [
    ['a message to the parent', record => record.sent('lead', parent, 'report', at(3))],
    ['an empty message', record => record.sent('lead', parent, '', at(3))],
    ['a message in the millisecond of the join', record => record.sent('lead', parent, 'report', at(2))],
    ['a message in metadata mode', record => record.sent('lead', parent, '', at(3), digest('report'))],
    [
      'a message beside others whose peer is not resolved',
      record => {
        record.sent('lead', 'reviewer', 'hello', at(3))
        record.sent('lead', parent, 'report', at(4))
      },
    ],
    [
      'a message after the notice',
      record => {
        record.sent('lead', parent, notice, at(2.1))
        record.sent('lead', parent, 'report', at(3))
      },
    ],
    [
      'a message that holds the notice and more',
      record => record.sent('lead', parent, `${notice}\nAnd this.`, at(3)),
    ],
    [
      'the notice of another lead, sent on',
      record => record.sent('lead', parent, joinNotice({ ...lead, sessionId: 'other' }), at(3)),
    ],
    [
      'the text of the notice a second time: only the join itself sends one that does not count',
      record => {
        record.sent('lead', parent, notice, at(2.1))
        record.sent('lead', parent, notice, at(3))
      },
    ],
  ]
  test.each(yes)('yes: %s', async (_, write) => {
    expect(await markAfter(write)).toBe('yes')
  })

  const no: [string, (record: RecordBuilder) => void][] = [
    ['nothing sent', () => {}],
    ['only the notice', record => record.sent('lead', parent, notice, at(2.1))],
    ['only the notice, in metadata mode', record => record.sent('lead', parent, '', at(2.1), digest(notice))],
    [
      'rule.deliveryResult: a message that was not queued',
      record => record.sent('lead', parent, 'report', at(3), { isQueued: false, reason: 'refused' }),
    ],
    [
      'a message that was not queued and whose peer is not resolved',
      record => record.sent('lead', 'boss', 'report', at(3), { isQueued: false, reason: 'refused' }),
    ],
    ['a message before the join', record => record.sent('lead', parent, 'hello', at(1.5))],
    ['a message to another session', record => record.sent('lead', resolved('other'), 'hello', at(3))],
    ['a message from the parent', record => record.received('lead', parent, 'brief', at(3))],
    ['the message of another lead', record => record.sent('lead2', parent, 'report', at(3))],
    [
      'what the parent says to have received from it: the sender is the authority',
      record => record.received('top', resolved('lead'), 'report', at(3)),
    ],
  ]
  test.each(no)('no: %s', async (_, write) => {
    expect(await markAfter(write)).toBe('no')
  })

  const unknown: [string, (record: RecordBuilder) => void][] = [
    ['a message whose peer is not resolved', record => record.sent('lead', 'boss', 'report', at(3))],
    [
      'a message to a peer that the host did not name',
      record => record.sent('lead', { as: null }, 'x', at(3)),
    ],
    [
      'an unresolved peer beside a message to another',
      record => {
        record.sent('lead', resolved('other'), 'hello', at(3))
        record.sent('lead', 'boss', 'report', at(4))
      },
    ],
    [
      'unreadable evidence that is not older than the join',
      record => record.raw('lead', '2026-11-01T100003.000Z-torn.json', '{"kind":"mess'),
    ],
    ['an empty file', record => record.raw('lead', '2026-11-01T100003.000Z-torn.json', '')],
    [
      'unreadable evidence of an unknown time',
      record => record.raw('lead', 'whenever.json', '{"kind":"mess'),
    ],
  ]
  test.each(unknown)('unknown: %s', async (_, write) => {
    expect(await markAfter(write)).toBe('unknown')
  })

  test('no: unreadable evidence that is older than the join', async () => {
    const older = (record: RecordBuilder) => record.raw('lead', '2026-11-01T100001.500Z-torn.json', '{')
    expect(await markAfter(older)).toBe('no')
  })

  test('no: unreadable evidence in the folder of another session', async () => {
    const other = (record: RecordBuilder) => record.raw('top', '2026-11-01T100003.000Z-torn.json', '{')
    expect(await markAfter(other)).toBe('no')
  })

  test('rule.startEntry: without a start entry "no" is unknown, for nothing covers the session', async () => {
    const here = place()
    here.record.start('top', at(0))
    here.record.chain('lead', 'top', 'part', at(2))
    expect(await markOf(here)).toBe('unknown')
  })

  test('rule.startEntry: coverage that begins after the join leaves "no" unknown', async () => {
    const here = place()
    here.record.start('top', at(0))
    here.record.chain('lead', 'top', 'part', at(2))
    here.record.start('lead', at(5))
    expect(await markOf(here)).toBe('unknown')
  })

  test('rule.startEntry: coverage begins at the earliest start, also where the session was started again since', async () => {
    const here = chain()
    here.record.start('lead', at(5))
    expect(await markOf(here)).toBe('no')
  })

  test('rule.startEntry: without one a message that was sent is still a "yes"', async () => {
    const here = place()
    here.record.start('top', at(0))
    here.record.chain('lead', 'top', 'part', at(2))
    here.record.sent('lead', parent, 'report', at(3))
    expect(await markOf(here)).toBe('yes')
  })

  test('rule.laterJoinReplaces: what was sent to an earlier parent is not sent to this one', async () => {
    const here = chain()
    here.record.start('second', at(0))
    here.record.sent('lead', parent, 'report', at(3))
    expect(await markOf(here)).toBe('yes')
    here.record.chain('lead', 'second', 'new part', at(5))
    here.record.sent('lead', resolved('second'), joinNotice({ ...lead, part: 'new part' }), at(5.1))
    expect(await markOf(here)).toBe('no')
    here.record.sent('lead', resolved('second'), 'report', at(6))
    expect(await markOf(here)).toBe('yes')
  })

  test('rule.laterJoinReplaces: a second join of the same parent sends a notice of its own, which does not count either', async () => {
    const here = chain()
    here.record.sent('lead', parent, notice, at(2.1))
    here.record.chain('lead', 'top', lead.part, at(5))
    here.record.sent('lead', parent, notice, at(5.1))
    expect(await markOf(here)).toBe('no')
  })

  test('a lead of a boundary has a mark too, a top and a boundary have none', async () => {
    const here = place()
    here.record.start('lead', at(0))
    here.record.chain('lead', 'elsewhere', 'part', at(1))
    here.record.sent('lead', resolved('elsewhere'), 'report', at(2))
    expect(await markOf(here)).toBe('yes')
    expect(await markOf(here, 'elsewhere')).toBeNull()
  })

  test('the text of the tree claims no more than that a message was sent', async () => {
    const here = chain()
    here.record.sent('lead', parent, 'report', at(3))
    const { stdout } = await here.run('tree')
    expect(stdout).toContain('the part')
    expect(stdout).not.toMatch(/\b(reported|finished|done|read|delivered|complete[d]?)\b/i)
  })
})
