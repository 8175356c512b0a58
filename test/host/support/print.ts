import { endOf, startChild } from './child.ts'
import { argumentsOf, type SessionOptions } from './session-options.ts'

/** What one `claude -p` answered. */
export interface Printed {
  code: number | string
  sessionId: string
  pid: number
  /** The answer's text. */
  text: string
  /** The whole JSON document. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents whose shape they check
  result: any
  stdout: string
  stderr: string
}

/** Runs one `claude -p <prompt>` to its end. Fails, with all it printed, where it hangs or prints no JSON result. */
export async function print(
  prompt: string,
  options: SessionOptions & { timeoutMs?: number },
): Promise<Printed> {
  const args = argumentsOf(options)
  const child = startChild(options, ['-p', prompt, '--output-format', 'json', ...args], 'ignore')
  const code = await endOf(child, 'claude -p', options.timeoutMs)
  const result = parsed(child.stdout())
  if (result === undefined) throw new Error(`claude -p printed no JSON result:\n${child.told()}`)
  return {
    code,
    sessionId: result.session_id,
    pid: child.pid,
    text: result.result,
    result,
    stdout: child.stdout(),
    stderr: child.stderr(),
  }
}

function parsed(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
