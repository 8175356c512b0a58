import { describe, expect, it } from 'vitest'
import { arrivalRows, deliveryRows } from '../../src/indexer/delivery-rows.ts'
import type { DeliveryNotice, Message, SentPlace } from '../../src/scan/message.ts'

const message = (more: Partial<Message>) =>
  ({
    session: 'T',
    sha256: 'a',
    at: '2026-11-01T10:05:00.000Z',
    evidence: { fields: {} },
    ...more,
  }) as Message
const peer = (msgId: string | null, sent: SentPlace[] = [], more: Partial<Message> = {}) =>
  message({
    label: 'peer',
    evidence: { fields: {}, correlation: { evidence: 'msgId', msgId, sent, candidates: [] } },
    ...more,
  })
const sentAt = (at: string | null): SentPlace => ({
  ...{ in: 'transcript', session: 'A', at },
  source: { file: '/t', line: 1, offset: 0, row: null },
})
const notice = (deliveries: unknown[], label: Message['label'] = 'notice') =>
  message({ label, evidence: { fields: {}, deliveries: deliveries as DeliveryNotice[] } })

describe('ruling 13: what a scanned message says became of messages', () => {
  it('a peer’s was read, if its row names it', () => {
    expect(deliveryRows(peer('m'))).toEqual([{ msg_id: 'm', stage: 'read' }])
    for (const one of [
      peer(null),
      message({ label: 'peer' }),
      { ...peer('m'), label: 'unresolved' as const },
    ])
      expect(deliveryRows(one)).toEqual([])
  })

  it('a notice names each message; a stage that a later version adds says nothing', () => {
    const told = [
      { stage: 'held', msgIds: ['m', 'n'] },
      { stage: 'shelved', msgIds: ['o'] },
      { stage: 'refused', msgIds: ['p'] },
    ]
    expect(deliveryRows(notice(told))).toEqual([
      { msg_id: 'm', stage: 'held' },
      { msg_id: 'n', stage: 'held' },
      { msg_id: 'p', stage: 'refused' },
    ])
    expect(deliveryRows(notice(told, 'person'))).toEqual([])
    expect(deliveryRows(message({ label: 'notice' }))).toEqual([])
  })
})

describe('ruling 13: where the receiver’s own entry lies', () => {
  const near = (one: Message) => arrivalRows(one).map(row => row.near)
  const span = (one: Message) => arrivalRows(one).map(({ near_from, near_to }) => [near_from, near_to])[0]

  it('in its session, with its hash, ten minutes around', () => {
    expect(arrivalRows(peer(null))).toEqual(
      ['2026-11-01T09:5', '2026-11-01T10:0', '2026-11-01T10:1'].map(one => ({
        ...{ session_id: 'T', sha256: 'a', near: one },
        ...{ near_from: '2026-11-01T09:55:00.000Z', near_to: '2026-11-01T10:15:00.000Z' },
      })),
    )
  })

  it('around the time at which it was sent, where one place of it has a time', () => {
    const sent = [sentAt(null), sentAt('2026-11-01T08:00:00.000Z'), sentAt('2026-11-01T08:00:01.000Z')]
    expect(span(peer('m', sent))).toEqual(['2026-11-01T07:50:00.000Z', '2026-11-01T08:10:00.000Z'])
    expect(span(peer('m', sent, { at: null }))).toEqual([
      '2026-11-01T07:50:00.000Z',
      '2026-11-01T08:10:00.000Z',
    ])
    expect(span(peer('m', [sentAt(null)]))).toEqual(['2026-11-01T09:55:00.000Z', '2026-11-01T10:15:00.000Z'])
  })

  it('across midnight', () => {
    expect(near(peer('m', [], { at: '2026-12-31T23:59:59.999Z' }))).toEqual([
      ...['2026-12-31T23:4', '2026-12-31T23:5', '2027-01-01T00:0'],
    ])
  })

  it('nowhere without a time, with none that there is, and of anybody else’s words', () => {
    for (const at of [null, 'soon', '+275760-09-13T00:00:00.000Z'])
      expect(arrivalRows(peer('m', [], { at }))).toEqual([])
    expect(arrivalRows({ ...peer('m'), label: 'person' })).toEqual([])
  })
})
