import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Rows as Claude Code 2.1.332 writes them, with the fields that tell whose words they are and no others. */
export interface TranscriptBuilder {
  /** The folder that a scan is given. */
  readonly dir: string
  file(session: string): string
  /** What a person typed. Returns the row's uuid. */
  typed(session: string, text: string, at: string, more?: object): string
  /** The prompt of a program. */
  sdk(session: string, text: string, at: string): string
  /** `claude --bg "…"`, which looks like typed text. */
  background(session: string, text: string, at: string): string
  peer(session: string, text: string, at: string): string
  summary(session: string, text: string, at: string): string
  /** The assistant's answer and the end of the turn. */
  answer(session: string, text: string, at: string): void
  /** Any row at the end of a session's file. */
  row(session: string, row: object): void
  raw(session: string, bytes: string | Uint8Array): void
}

/** Full ids of sessions: `session(1)`. */
export function session(number: number): string {
  return `0a1b2c3d-0000-4000-8000-${String(number).padStart(12, '0')}`
}

export function transcriptBuilder(dir: string): TranscriptBuilder {
  let count = 0
  const last = new Map<string, string>()
  const file = (session: string) => join(dir, 'projects', '-home-dev-shop', `${session}.jsonl`)
  const raw = (session: string, bytes: string | Uint8Array) => {
    mkdirSync(dirname(file(session)), { recursive: true })
    appendFileSync(file(session), bytes)
  }
  const row = (session: string, fields: object) => raw(session, `${JSON.stringify(fields)}\n`)
  const chainRow = (session: string, at: string, fields: object) => {
    count += 1
    const uuid = `11111111-0000-4000-8000-${String(count).padStart(12, '0')}`
    row(session, {
      parentUuid: last.get(session) ?? null,
      isSidechain: false,
      ...fields,
      uuid,
      timestamp: at,
      userType: 'external',
      cwd: '/home/dev/shop',
      sessionId: session,
      version: '2.1.332',
      gitBranch: 'main',
    })
    last.set(session, uuid)
    return uuid
  }
  const prompt = (session: string, text: string, at: string, fields: object) =>
    chainRow(session, at, {
      type: 'user',
      promptId: `prompt-${count}`,
      message: { role: 'user', content: text },
      entrypoint: 'cli',
      ...fields,
    })
  const human = { origin: { kind: 'human' }, promptSource: 'typed', turnOrigin: 'human' }
  mkdirSync(join(dir, 'projects'), { recursive: true })
  return {
    dir,
    file,
    typed: (session, text, at, more = {}) => prompt(session, text, at, { ...human, ...more }),
    background: (session, text, at) => prompt(session, text, at, { ...human, sessionKind: 'bg' }),
    sdk: (session, text, at) =>
      prompt(session, text, at, {
        promptSource: 'sdk',
        turnOrigin: 'sdk',
        rowSource: 'local',
        entrypoint: 'sdk-cli',
      }),
    peer: (session, text, at) =>
      prompt(
        session,
        `Another Claude session sent a message:\n<cross-session-message from="uds:/s/1.sock">\n${text}\n</cross-session-message>\n`,
        at,
        {
          isMeta: true,
          origin: { kind: 'peer', from: 'uds:/s/1.sock', msg_id: `msg-${count}`, body: text },
          promptSource: 'system',
          turnOrigin: 'peer',
        },
      ),
    summary: (session, text, at) =>
      prompt(session, text, at, {
        isCompactSummary: true,
        isVisibleInTranscriptOnly: true,
        turnOrigin: 'human',
      }),
    answer(session, text, at) {
      chainRow(session, at, {
        type: 'assistant',
        message: {
          id: `msg_${count}`,
          role: 'assistant',
          content: [{ type: 'text', text }],
          stop_reason: 'end_turn',
        },
      })
      chainRow(session, at, { type: 'system', subtype: 'turn_duration', durationMs: 1 })
    },
    row,
    raw,
  }
}

/** Writes a file and the folders above it. */
export function writeBelow(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
