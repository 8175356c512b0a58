// Makes a record of made-up entries: every session starts; nine of ten join the tenth; the rest are messages of some
// 600 bytes, every other one sent. The same numbers give the same record.
import { mkdirSync, writeFileSync } from 'node:fs'

const WORDS =
  'schema drift index lead report brief parser query build test token cache folder change order total field'.split(
    ' ',
  )

/** Writes `entries` files in `sessions` folders below `dir`. */
export function generateRecord(dir, { sessions, entries }) {
  const random = randomFrom(1)
  const perSession = Math.floor(entries / sessions)
  for (let session = 0; session < sessions; session++) {
    const folder = `${dir}/${sessionId(session)}`
    mkdirSync(folder, { recursive: true })
    for (let number = 0; number < perSession; number++) {
      const at = new Date(1_790_000_000_000 + (session * perSession + number) * 977).toISOString()
      const name = `${at.replaceAll(':', '')}-bench-${String(number).padStart(6, '0')}.json`
      writeFileSync(`${folder}/${name}`, JSON.stringify(entry(session, number, at, random)))
    }
  }
}

export function sessionId(session) {
  return `00000000-0000-4000-8000-${String(session).padStart(12, '0')}`
}

function entry(session, number, at, random) {
  const common = { sessionId: sessionId(session), at, cwd: `/home/dev/project-${session % 7}` }
  if (number === 0)
    return { kind: 'start', ...common, host: 'claude-code', version: '2.1.332', inbound: 'accept' }
  if (number === 1 && session % 10 > 0) {
    return {
      kind: 'chain',
      ...common,
      parent: sessionId(session - (session % 10)),
      part: `part ${session}`,
      brief: null,
    }
  }
  const length = 60 + Math.floor(random() * 60)
  const text = Array.from(
    { length },
    () => `${WORDS[Math.floor(random() * WORDS.length)]}${random() < 0.2 ? Math.floor(random() * 5000) : ''}`,
  ).join(' ')
  const peer = { as: 'uds:/run/user/1000/claude/4101.sock', sessionId: sessionId(session - (session % 10)) }
  if (number % 2 === 1) return { kind: 'message', side: 'sent', ...common, peer, text, isQueued: true }
  const envelope = {
    before: '<cross-session-message from="uds:/x" from-name="n" from-mode="prompting">\n',
    after: '\n</cross-session-message>',
  }
  return { kind: 'message', side: 'received', ...common, peer, envelope, text, outcome: 'queued' }
}

function randomFrom(seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
