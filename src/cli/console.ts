import { escapeLines } from '../hostile-text/escape-text.ts'
import { EXIT } from './exit.ts'

/** The person at the other end: what is printed where, and whether it is a terminal. */
export interface Console {
  /** Prints the answer; resolves when it is handed over. Standard output holds nothing else. */
  print(text: string): Promise<void>
  /** Prints to standard error: notes, errors. Hidden characters of a record's text are shown as escapes. */
  tell(text: string): void
  /** Shows how far a long piece of work is: not in its first second, then about once a second. */
  progress(text: string): void
  /** Columns that a line may have; undefined where the output goes to a file or another program. */
  width: number | undefined
  isColour: boolean
}

const PROGRESS_MS = 1_000

/** The console of this process. */
export function processConsole(): Console {
  const started = Date.now()
  let shown = started
  const isTerminal = process.stdout.isTTY === true
  process.stdout.on('error', error => {
    // A reader that has seen enough (`| head`) closes the pipe; that is no failure.
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(EXIT.done)
    process.stderr.write(`coord: the answer cannot be written: ${error.message} (environment)\n`)
    process.exit(EXIT.environment)
  })
  // Nobody listens to notes any more; the answer and the exit code still count.
  process.stderr.on('error', () => {})
  return {
    print: text => new Promise(resolve => process.stdout.write(text, () => resolve())),
    tell: text => void process.stderr.write(`${escapeLines(text)}\n`),
    progress(text) {
      const now = Date.now()
      if (now - shown < PROGRESS_MS) return
      shown = now
      process.stderr.write(`coord: ${text}\n`)
    },
    width: isTerminal ? process.stdout.columns : undefined,
    isColour: isTerminal && !process.env.NO_COLOR && process.env.TERM !== 'dumb',
  }
}
