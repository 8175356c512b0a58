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
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const answers: Record<string, string> = {}
  try {
    process.stderr.write(`${escapeLines(question)}\n`)
    for (const field of fields) {
      const answer = await new Promise<string | null>(resolve => {
        lines.once('close', () => resolve(null))
        lines.question(`${escapeLines(field)}: `, resolve)
      })
      if (answer === null) return null
      answers[field] = answer
    }
    return answers
  } finally {
    lines.close()
  }
}
