import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type ClaudeTranscript, claude, lines, type Row } from './transcripts.ts'

/** Transcripts of several sessions of Claude Code below one folder, each row appended as it is said. */
export interface TranscriptBuilder {
  /** The folder that a scan is given. */
  readonly dir: string
  file(session: string): string
  /** What a person typed. */
  typed(session: string, text: string, at: string, more?: Row): void
  /** The prompt of a program. */
  sdk(session: string, text: string, at: string): void
  /** `claude --bg "…"`, which looks like typed text. */
  background(session: string, text: string, at: string): void
  peer(session: string, text: string, at: string): void
  summary(session: string, text: string, at: string): void
  /** The assistant's answer and the end of the turn. */
  answer(session: string, text: string, at: string): void
  /** Any row at the end of a session's file. */
  row(session: string, row: Row): void
  /** Any bytes at the end of a session's file. */
  raw(session: string, bytes: string | Uint8Array): void
}

/** Full ids of sessions: `session(1)`. */
export function session(number: number): string {
  return `0a1b2c3d-0000-4000-8000-${String(number).padStart(12, '0')}`
}

export function transcriptBuilder(dir: string): TranscriptBuilder {
  const transcripts = new Map<string, ClaudeTranscript>()
  const file = (session: string) => join(dir, 'projects', '-home-dev-shop', `${session}.jsonl`)
  const raw = (session: string, bytes: string | Uint8Array) => {
    mkdirSync(dirname(file(session)), { recursive: true })
    appendFileSync(file(session), bytes)
  }
  const say = (session: string, add: (transcript: ClaudeTranscript) => void) => {
    const transcript = transcripts.get(session) ?? claude({ sessionId: session, cwd: '/home/dev/shop' })
    transcripts.set(session, transcript)
    const before = transcript.rows.length
    add(transcript)
    raw(session, lines(transcript.rows.slice(before)))
  }
  mkdirSync(join(dir, 'projects'), { recursive: true })
  return {
    dir,
    file,
    typed: (session, text, timestamp, more = {}) =>
      say(session, one => one.typed(text, { timestamp, ...more })),
    background: (session, text, timestamp) =>
      say(session, one => one.typed(text, { timestamp, sessionKind: 'bg' })),
    sdk: (session, text, timestamp) => say(session, one => one.sdk(text, { timestamp })),
    peer: (session, text, timestamp) =>
      say(session, one =>
        one.user(
          `Another Claude session sent a message:\n<cross-session-message from="uds:/s/1.sock">\n${text}\n</cross-session-message>\n`,
          {
            ...{ timestamp, isMeta: true, promptSource: 'system', turnOrigin: 'peer' },
            origin: { kind: 'peer', from: 'uds:/s/1.sock', msg_id: `msg-${one.rows.length}`, body: text },
          },
        ),
      ),
    summary: (session, text, timestamp) =>
      say(session, one =>
        one.user(text, {
          ...{ timestamp, isCompactSummary: true, isVisibleInTranscriptOnly: true, turnOrigin: 'human' },
        }),
      ),
    answer: (session, text, timestamp) =>
      say(session, one => {
        one.reply(text, { timestamp })
        one.turnEnd({ timestamp })
      }),
    row: (session, row) => raw(session, lines([row])),
    raw,
  }
}
