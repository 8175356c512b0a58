import { describe, expect, it } from 'vitest'
import { judge } from '../../../src/scan/claude/judge.ts'
import { heldNotice, msgId, noticeOf, refusedNotice, releasedNotice } from '../../support/delivery-notices.ts'
import type { Row } from '../../support/transcripts.ts'

const user = (text: string, more: Row = {}): Row => ({ type: 'user', message: { content: text }, ...more })
/** As the host writes it to an idle session. */
const HOSTS = { isMeta: true, promptSource: 'system', rowSource: 'harness', turnOrigin: 'system' }
const hosts = (text: string, more: Row = {}) => user(text, { ...HOSTS, ...more })
/** As the host writes it into a running turn. */
const midTurn = (text: string, more: Row = {}): Row => ({
  type: 'attachment',
  attachment: { type: 'queued_command', prompt: text, commandMode: 'prompt', isMeta: true, ...more },
})
const deliveries = (row: Row) => judge(row, false).flatMap(one => one.deliveries ?? [])

describe('ruling 13: the host’s notice to a sender', () => {
  it.each<[string, string]>([
    ['held', heldNotice(msgId(1))],
    [
      'released',
      noticeOf(`Your message to another session was approved and released to that session`, msgId(1)),
    ],
    ['refused', refusedNotice(msgId(1))],
    ['denied', noticeOf('Your message to another session was denied by the recipient user', msgId(1))],
    ['expired', noticeOf('Your message to another session was not approved before expiry', msgId(1))],
    [
      'dropped',
      noticeOf(
        "Do not resend now: one of your messages to another session was dropped at that session's inbox",
        msgId(1),
        ' and NOT delivered (it repeated your previous message). Treat them as unsent.',
      ),
    ],
  ])('%s', (stage, text) => {
    const told = { label: 'notice', confidence: 'high', kind: 'delivery_notice', words: text }
    expect(judge(hosts(text), false)).toMatchObject([
      { ...told, deliveries: [{ stage, msgIds: [msgId(1)] }] },
    ])
    expect(judge(midTurn(text, { rowSource: 'harness' }), false)).toMatchObject([
      { ...told, deliveries: [{ stage, msgIds: [msgId(1)] }] },
    ])
  })

  it('of several messages, each by its id, and the first five of more', () => {
    const many = (outcome: string, ...ids: string[]) =>
      hosts(noticeOf(`${ids.length} of your messages to another session were ${outcome}`, ids.join(', ')))
    expect(deliveries(many('refused', msgId(1), msgId(2), msgId(3)))).toEqual([
      { stage: 'refused', msgIds: [msgId(1), msgId(2), msgId(3)] },
    ])
    expect(deliveries(many('held by that session', msgId(1), msgId(2), '…'))).toEqual([
      { stage: 'held', msgIds: [msgId(1), msgId(2)] },
    ])
    const dropped = `Do not resend now: 2 of your messages to another session were dropped at that session's inbox`
    expect(deliveries(hosts(noticeOf(dropped, `${msgId(1)}, ${msgId(2)}`)))).toEqual([
      { stage: 'dropped', msgIds: [msgId(1), msgId(2)] },
    ])
  })

  it('several in one row, a line each, also among what else the host tells of other sessions', () => {
    const idle = '[Cross-session idle notice] "recvU", which you asked about, is idle.'
    const text = [heldNotice(msgId(1)), idle, refusedNotice(msgId(2)), releasedNotice(msgId(1))].join('\n')
    expect(judge(hosts(text), false)).toMatchObject([{ kind: 'delivery_notice', words: text }])
    expect(deliveries(hosts(text))).toEqual([
      { stage: 'held', msgIds: [msgId(1)] },
      { stage: 'refused', msgIds: [msgId(2)] },
      { stage: 'released', msgIds: [msgId(1)] },
    ])
  })

  it('of recipients that are several, none, or of a strange path', () => {
    const refused = (recipients: string) =>
      hosts(
        `[Cross-session delivery notice] Your message to another session was refused (${recipients}msg_id: ${msgId(1)}): that session`,
      )
    for (const recipients of [
      '',
      'recipients: uds:/a/1.sock, uds:/b/2.sock, …; ',
      'recipient: uds:/tmp/(x; y) msg_id/1.sock; ',
    ])
      expect(deliveries(refused(recipients)), recipients).toEqual([{ stage: 'refused', msgIds: [msgId(1)] }])
  })

  const REFUSED = refusedNotice(msgId(1))
  it.each<[string, Row]>([
    ['typed by a person', user(REFUSED, { origin: { kind: 'human' }, promptSource: 'typed' })],
    ['a program’s prompt', user(REFUSED, { promptSource: 'sdk', turnOrigin: 'sdk', entrypoint: 'sdk-cli' })],
    [
      'a program’s that it calls not the user’s',
      hosts(REFUSED, { origin: { kind: 'unclassified' }, turnOrigin: 'host_synthetic' }),
    ],
    [
      'another session’s message',
      hosts(REFUSED, { origin: { kind: 'peer', msg_id: msgId(2), body: REFUSED }, turnOrigin: 'peer' }),
    ],
    ['a plugin’s prompt', hosts(REFUSED, { origin: { kind: 'plugin', name: 'p' } })],
    ['of a row that is not the host’s', user(REFUSED, { isMeta: true })],
    ['of a row of the host’s that is none for the model', user(REFUSED, { rowSource: 'harness' })],
    ['typed while a turn ran', midTurn(REFUSED, { isMeta: false, origin: { kind: 'human' } })],
    ['in a turn, of a row that is not the host’s', midTurn(REFUSED)],
    ['below another text', hosts(`A note of the host:\n${REFUSED}`)],
    ['above another text', hosts(`${REFUSED}\n${REFUSED.replace('[', '> [')}`)],
    ['inside another text', hosts(`I was told: ${REFUSED}`)],
    ['of an outcome that nobody knows', hosts(REFUSED.replace('refused', 'lost'))],
    ['without an id', hosts(noticeOf('Your message to another session was refused', 'none'))],
    [
      'of a session elsewhere',
      hosts(REFUSED.replace('another session', 'a cloud or Remote Control session')),
    ],
    ['of an agent’s prompt', hosts(REFUSED, { isSidechain: true, parentUuid: null })],
  ])('is none: the same words %s', (_, row) => {
    expect(deliveries(row)).toEqual([])
    expect(judge(row, false).map(({ kind }) => kind)).not.toContain('delivery_notice')
  })
})
