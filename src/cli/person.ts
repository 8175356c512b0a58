import { createInterface } from 'node:readline'
import { escapeLines } from '../hostile-text/escape-text.ts'

/** Whether somebody can be asked: both what is read and where questions are shown is a terminal. */
export function isAtTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/** Asks one question with several fields; gives the answers by the fields' names. An end of input gives no answers. */
export async function askPerson(
  question: string,
  fields: readonly string[],
): Promise<Record<string, string> | null> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // Lines that are pasted together arrive before the field that they answer is shown; the iterator keeps them.
  const lines = terminal[Symbol.asyncIterator]()
  const answers: Record<string, string> = {}
  try {
    process.stderr.write(`${escapeLines(question)}\n`)
    for (const field of fields) {
      terminal.setPrompt(`${escapeLines(field)}: `)
      terminal.prompt()
      const line = await lines.next()
      if (line.done) return null
      answers[field] = line.value
    }
    return answers
  } finally {
    terminal.close()
  }
}
