import { createInterface } from 'node:readline'
import { endOf, startChild } from './child.ts'
import { argumentsOf, isReachable, registered, type Session, type SessionOptions } from './session-options.ts'
import { PATIENCE_MS, waitFor } from './wait-for.ts'

/** One event of a stream-json session, such as `{type:'result',…}`. */
// biome-ignore lint/suspicious/noExplicitAny: the host's events have many shapes; tests check the ones they use
export type StreamEvent = { type: string; subtype?: string; [field: string]: any }

/** A long-lived session without a terminal: `claude -p` with stream-json in both directions. */
export interface StreamSession extends Session {
  /** Sends a prompt and does not wait; `claims` are further fields of it, as a program may send them. */
  send(prompt: string, claims?: object): void
  /** Answers what the host asks its program, a `control_request`, such as whether a tool may run. */
  answer(request: StreamEvent, response: object): void
  /** Sends a prompt to an idle session and waits for the result of the turn. */
  ask(prompt: string, timeoutMs?: number): Promise<StreamEvent>
  events(): StreamEvent[]
  /** The results so far: one for each turn, also for those that messages of other sessions began. */
  results(): StreamEvent[]
  waitForEvent(
    matches: (event: StreamEvent) => boolean,
    what: string,
    timeoutMs?: number,
  ): Promise<StreamEvent>
}

/** Starts a session that waits for prompts; it is registered, so that other sessions reach it, when this returns. */
export async function stream(options: SessionOptions): Promise<StreamSession> {
  const args = argumentsOf(options)
  const format = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose']
  const child = startChild(options, [...format, ...args], 'pipe')
  const hopeless = () => (child.code() === undefined ? undefined : 'the session has ended')
  const wait = <Found>(look: () => Found | undefined | false, what: string, timeoutMs = PATIENCE_MS) =>
    waitFor(look, { what, timeoutMs, hopeless, seen: child.told })
  const here = () => {
    const found = registered(options, child.pid)
    if (!found) throw new Error(`the session is not registered:\n${child.told()}`)
    return found
  }
  const events: StreamEvent[] = []
  if (child.process.stdout)
    createInterface({ input: child.process.stdout }).on('line', line => events.push(eventIn(line)))
  const results = () => events.filter(event => event.type === 'result')
  const session: StreamSession = {
    pid: child.pid,
    sessionId: () => here().sessionId,
    address: () => `uds:${here().messagingSocketPath}`,
    get isRunning() {
      return child.code() === undefined
    },
    send(prompt, claims) {
      const message = { role: 'user', content: prompt }
      child.process.stdin?.write(`${JSON.stringify({ type: 'user', message, ...claims })}\n`)
    },
    answer({ request_id }, response) {
      const answered = { subtype: 'success', request_id, response }
      child.process.stdin?.write(`${JSON.stringify({ type: 'control_response', response: answered })}\n`)
    },
    ask(prompt, timeoutMs) {
      const before = results().length
      session.send(prompt)
      return wait(() => results()[before], `the result of ${JSON.stringify(prompt)}`, timeoutMs)
    },
    events: () => [...events],
    results,
    waitForEvent: (matches, what, timeoutMs) => wait(() => events.find(matches), what, timeoutMs),
    async end() {
      child.process.stdin?.end()
      return endOf(child, 'the session')
    },
    kill: child.kill,
  }
  await wait(() => isReachable(options, child.pid), 'the session to be registered')
  return session
}

function eventIn(line: string): StreamEvent {
  try {
    return JSON.parse(line)
  } catch {
    return { type: 'no JSON', line }
  }
}
