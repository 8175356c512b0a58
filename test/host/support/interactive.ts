import xterm from '@xterm/headless'
import { spawn } from 'node-pty'
import { atEnd } from './endings.ts'
import { killGroup } from './processes.ts'
import {
  argumentsOf,
  commandOf,
  isReachable,
  registered,
  type Session,
  type SessionOptions,
} from './session-options.ts'
import { waitFor } from './wait-for.ts'

const KEYS = {
  enter: '\r',
  escape: '\x1b',
  tab: '\t',
  backspace: '\x7f',
  up: '\x1b[A',
  down: '\x1b[B',
  'shift+tab': '\x1b[Z',
  'ctrl+c': '\x03',
  'ctrl+d': '\x04',
  'ctrl+u': '\x15',
}

const DIALOG_DEAF_MS = 800

/** How long the host takes to draw what a key did. */
const KEY_MS = 250

const IDLE_MS = 500

/** A session at a terminal, as a person sees it. */
export interface InteractiveSession extends Session {
  /** The lines of the screen as they stand now, without the blanks at their ends. */
  screen(): string[]
  /** Writes as if typed; a newline among it is not the enter key. */
  type(text: string): void
  press(key: keyof typeof KEYS): void
  /** Types a text and waits until the screen shows its last line. */
  write(text: string): Promise<void>
  /** Pastes, as a terminal tells it; waits until the screen shows `shown`. */
  paste(text: string, shown: string | RegExp): Promise<void>
  /** Presses a key until the screen shows what it should. */
  pressUntil(key: keyof typeof KEYS, what: RegExp): Promise<void>
  /** Goes down to a choice: the mark stands before it. */
  moveTo(choice: RegExp): Promise<void>
  /** Waits until no turn runs: the line below the input line offers no interrupt. Begin with what shows that one has run. */
  idle(): Promise<void>
  /** Types a prompt or a command into the empty input line, waits until it shows there, and presses enter. */
  submit(text: string): Promise<void>
  /** Waits until the screen's text holds `what` or matches it; gives the lines of that moment. */
  waitForScreen(
    what: string | RegExp | ((lines: string[]) => boolean),
    named?: string,
    timeoutMs?: number,
  ): Promise<string[]>
  /**
   * Waits until a dialog that has just come takes keys: at first the host ignores them, so that none that was meant
   * for the input line answers it. Nothing on the screen tells, so this waits until it has stood still for a while.
   */
  dialogTakesKeys(): Promise<void>
  resize(columns: number, rows: number): void
}

export interface TerminalSize {
  columns?: number
  rows?: number
}

/** Starts a session at a terminal; its input line is drawn and it is registered when this returns. */
export async function interactive(options: SessionOptions & TerminalSize): Promise<InteractiveSession> {
  const args = argumentsOf(options)
  const size = { cols: options.columns ?? 120, rows: options.rows ?? 40 }
  const terminal = new xterm.Terminal({ ...size, allowProposedApi: true, scrollback: 5000 })
  const command = commandOf(options, args)
  const pty = spawn(command.program, command.args, { ...command.place, ...size, name: 'xterm-256color' })
  let code: number | undefined
  const ended = new Promise<void>(resolve => {
    pty.onExit(({ exitCode }) => {
      code = exitCode
      resolve()
    })
  })
  pty.onData(data => terminal.write(data))
  // What the host asks of its terminal, such as where the cursor is, the terminal answers.
  terminal.onData(data => pty.write(data))

  const screen = () => {
    const { active } = terminal.buffer
    return Array.from({ length: terminal.rows }, (_, row) =>
      (active.getLine(active.baseY + row)?.translateToString(true) ?? '').replaceAll('\u00a0', ' ').trimEnd(),
    )
  }
  const told = () =>
    `claude ${args.join(' ')}\nexit: ${code ?? 'still running'}\nscreen:\n${screen().join('\n')}`
  const hopeless = () => (code === undefined ? undefined : 'the session has ended')
  const here = () => {
    const found = registered(options, pty.pid)
    if (!found) throw new Error(`the session is not registered:\n${told()}`)
    return found
  }
  const session: InteractiveSession = {
    pid: pty.pid,
    sessionId: () => here().sessionId,
    address: () => `uds:${here().messagingSocketPath}`,
    get isRunning() {
      return code === undefined
    },
    screen,
    type: text => pty.write(text),
    press: key => pty.write(KEYS[key]),
    async write(text) {
      pty.write(text)
      await session.waitForScreen(text.split('\n').at(-1)?.trim() ?? '')
    },
    async paste(text, shown) {
      pty.write(`\x1b[200~${text}\x1b[201~`)
      await session.waitForScreen(shown)
    },
    moveTo: choice => session.pressUntil('down', choice),
    async pressUntil(key, what) {
      await waitFor(
        async () => {
          if (what.test(screen().join('\n'))) return true
          session.press(key)
          await new Promise(resolve => setTimeout(resolve, KEY_MS))
          return what.test(screen().join('\n'))
        },
        { what: `the screen to show ${what}`, hopeless, seen: told },
      )
    },
    async idle() {
      let since = performance.now()
      const look = () => {
        if (screen().join('\n').includes('esc to interrupt')) since = performance.now()
        return performance.now() - since > IDLE_MS
      }
      await waitFor(look, { what: 'no turn to run', hopeless, seen: told })
    },
    async submit(text) {
      pty.write(text)
      const shown =
        text
          .split('\n')[0]
          ?.slice(0, Math.floor(terminal.cols / 2))
          .trim() ?? ''
      await session.waitForScreen(
        lines => lines.some(line => line.includes(`❯ ${shown}`)),
        `${shown} in the input line`,
      )
      session.press('enter')
    },
    waitForScreen(what, named = String(what), timeoutMs) {
      const matches =
        typeof what === 'function'
          ? what
          : (lines: string[]) =>
              typeof what === 'string' ? lines.join('\n').includes(what) : what.test(lines.join('\n'))
      const look = () => {
        const lines = screen()
        return matches(lines) ? lines : undefined
      }
      return waitFor(look, {
        what: `the screen to show ${named}`,
        hopeless,
        seen: told,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      })
    },
    async dialogTakesKeys() {
      let last = ''
      let since = 0
      const look = () => {
        // The mark before a running tool blinks.
        const now = screen().join('\n').replaceAll('●', ' ')
        if (now.replace(/ +/g, ' ') !== last) since = performance.now()
        last = now.replace(/ +/g, ' ')
        return performance.now() - since > DIALOG_DEAF_MS
      }
      await waitFor(look, { what: 'the screen to stand still', hopeless, seen: told })
    },
    resize(columns, rows) {
      terminal.resize(columns, rows)
      pty.resize(columns, rows)
    },
    async end() {
      await session.submit('/exit')
      return waitFor(() => code?.toString(), { what: 'the session to end', seen: told }).then(Number)
    },
    async kill() {
      killGroup(pty.pid)
      await ended
    },
  }
  atEnd(session.kill)
  await session.waitForScreen(/^❯/m, 'its input line')
  await waitFor(() => isReachable(options, pty.pid), {
    what: 'the session to be registered',
    hopeless,
    seen: told,
  })
  return session
}
