import type { Entry } from '../record/entry.ts'
import { joinNotice } from '../record/join-notice.ts'

// A morning's work: a top with two leads, one of which started a lead of its own; a lead whose parent works on
// another machine; one message that was refused, and one from a session of no common chain.

const top = { sessionId: '7d1f0c1e-5b0a-4c38-9f51-0d5a3b0c1a01', cwd: '/home/dev/shop' }
const parser = { sessionId: '2b9d5a60-1f3e-4d7c-8a42-6c1e9f0b2a02', cwd: '/home/dev/shop-parser' }
const docs = { sessionId: '5c07e3f4-9a1b-4e62-b7d8-3f2a1c4d5b03', cwd: '/home/dev/shop-docs' }
const fuzz = { sessionId: '9e4b7c12-6d5f-4a80-9c3e-8b7a6d5e4c04', cwd: '/home/dev/shop-parser' }
const port = { sessionId: 'c3a8f5d9-2e4b-4b16-8f70-1d9e8c7b6a05', cwd: '/home/dev/shop-windows' }
const elsewhere = 'f0e1d2c3-b4a5-4968-8778-695a4b3c2d06'

const parts = {
  parser: 'the new parser, until its tests pass',
  docs: 'the manual for the new format',
  fuzz: 'fuzz the parser for a night',
  port: 'the Windows build',
}

type Who = typeof top

function started({ sessionId, cwd }: Who, at: string, inbound = 'accept'): Entry {
  return { kind: 'start', sessionId, at: day(at), cwd, host: 'claude-code', version: '2.1.332', inbound }
}

function joined({ sessionId, cwd }: Who, at: string, parent: string, part: string, brief: string): Entry {
  return { kind: 'chain', sessionId, at: day(at), cwd, parent, part, brief }
}

function sent(
  { sessionId, cwd }: Who,
  at: string,
  to: Who | null,
  as: string,
  text: string,
  reason?: string,
): Entry {
  const peer = to ? { as, sessionId: to.sessionId } : { as }
  const result = reason === undefined ? { isQueued: true } : { isQueued: false, reason }
  return { kind: 'message', side: 'sent', sessionId, at: day(at), cwd, peer, text, ...result }
}

function received({ sessionId, cwd }: Who, at: string, from: Who | null, as: string, text: string): Entry {
  const peer = from ? { as, sessionId: from.sessionId } : { as }
  const before = `<cross-session-message from="${as}" from-name="session" from-mode="prompting">\n`
  const envelope = { before, after: '\n</cross-session-message>' }
  return {
    kind: 'message',
    side: 'received',
    sessionId,
    at: day(at),
    cwd,
    peer,
    envelope,
    text,
    outcome: 'queued',
  }
}

function day(time: string): string {
  return `2026-11-02T${time}Z`
}

const address = (pid: number) => `uds:/run/user/1000/claude/${pid}.sock`
const noticeOf = (who: Who, part: string) => joinNotice({ sessionId: who.sessionId, part })

/** The entries of the built-in sample record, in the order of their times. */
export const sampleEntries: readonly Entry[] = [
  started(top, '08:55:10.120'),
  sent(
    top,
    '09:01:44.310',
    null,
    'parser',
    'Your brief is in briefs/parser.md. Join first, then report when its tests pass.',
  ),
  started(parser, '09:01:45.002'),
  joined(parser, '09:01:52.415', top.sessionId, parts.parser, 'briefs/parser.md'),
  sent(parser, '09:01:52.640', top, address(4101), noticeOf(parser, parts.parser)),
  received(top, '09:01:52.655', parser, address(4177), noticeOf(parser, parts.parser)),
  started(docs, '09:12:03.900'),
  joined(docs, '09:12:10.071', top.sessionId, parts.docs, 'briefs/manual.md'),
  sent(docs, '09:12:10.233', top, address(4101), noticeOf(docs, parts.docs)),
  received(top, '09:12:10.249', docs, address(4203), noticeOf(docs, parts.docs)),
  started(fuzz, '09:40:31.500', 'hold'),
  joined(fuzz, '09:40:38.117', parser.sessionId, parts.fuzz, 'briefs/fuzz.md'),
  sent(fuzz, '09:40:38.300', parser, address(4177), noticeOf(fuzz, parts.fuzz)),
  received(parser, '09:40:38.312', fuzz, address(4260), noticeOf(fuzz, parts.fuzz)),
  started(port, '10:02:00.048'),
  joined(port, '10:02:07.900', elsewhere, parts.port, 'briefs/windows.md'),
  sent(
    port,
    '10:02:08.015',
    null,
    elsewhere,
    noticeOf(port, parts.port),
    'no live session on this machine has this id',
  ),
  sent(
    parser,
    '10:31:20.700',
    top,
    address(4101),
    'Schema drift in orders.json: field "total" became a string on 1 November. I read both.',
  ),
  received(
    top,
    '10:31:20.716',
    parser,
    address(4177),
    'Schema drift in orders.json: field "total" became a string on 1 November. I read both.',
  ),
  sent(top, '10:33:02.480', parser, address(4177), 'Read both, but write only numbers.'),
  received(parser, '10:33:02.497', top, address(4101), 'Read both, but write only numbers.'),
  received(docs, '10:47:15.006', null, address(3990), 'Which version of the manual is live?'),
  sent(
    parser,
    '11:20:09.333',
    top,
    address(4101),
    'Done: 214 tests pass, the branch is parser-2, three commits.',
  ),
  received(
    top,
    '11:20:09.351',
    parser,
    address(4177),
    'Done: 214 tests pass, the branch is parser-2, three commits.',
  ),
]
