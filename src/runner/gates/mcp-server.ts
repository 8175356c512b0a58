import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type Process, startProcess } from '../processes/start-process.ts'

/** A server of the person's settings that is spoken to over its standard input and output. */
export interface McpServerProcess extends Transport {
  /** Why it was not to be spoken to; null where nothing is known against it. */
  problem(): string | null
}

interface ToServe {
  argv: readonly string[]
  env: Record<string, string>
  cwd: string
  onStart: (pid: number) => void
}

/** What a server may say in all. */
const MOST_BYTES = 8 * 1_048_576
/** Lines of it that are no messages. */
const MOST_PASSED_OVER = 1_000
const PATIENCE_MS = 2_000

/**
 * An MCP server as a process like every other of a run, in place of the SDK's own: in a group of its own, its output
 * bounded, in the log as it starts. `close` gives back only when it has ended: first its input ends, as the protocol has
 * it, then it is asked to, then it is ended.
 */
export function startMcpServer({ argv, env, cwd, onStart }: ToServe): McpServerProcess {
  const buffer = new ReadBuffer({ maxBufferSize: MOST_BYTES })
  let process: Process | null = null
  let problem: string | null = null
  let over: Promise<void> = Promise.resolve()
  const fail = (why: string) => {
    problem ??= why
    process?.end()
  }
  let passedOver = 0
  /** Hands a message on; whether more may follow. Some servers greet on the same output: what is none is passed over. */
  const readMessage = (): boolean => {
    try {
      const message = buffer.readMessage()
      if (message !== null) transport.onmessage?.(message)
      return message !== null
    } catch {
      passedOver += 1
      if (passedOver > MOST_PASSED_OVER) fail('what it says is not MCP')
      return problem === null
    }
  }
  const transport: McpServerProcess = {
    problem: () => problem,
    async start() {
      const started = startProcess({
        argv,
        cwd,
        env: { ...getDefaultEnvironment(), ...env },
        hasInput: true,
        onStart,
      })
      process = started
      let length = 0
      started.stdout?.on('data', (part: Buffer) => {
        if (problem !== null) return
        length += part.length
        if (length > MOST_BYTES) return fail(`it said over ${MOST_BYTES / 1_048_576} MiB`)
        buffer.append(part)
        for (let left = true; left; ) left = readMessage()
      })
      started.stderr?.resume()
      over = started.ended
        .then(ended => {
          if ('problem' in ended) problem ??= ended.problem
        })
        .finally(() => transport.onclose?.())
      // Whoever closes it is told.
      over.catch(() => {})
    },
    async send(message) {
      process?.stdin?.write(serializeMessage(message))
    },
    async close() {
      process?.stdin?.end()
      const patience = setTimeout(() => process?.end(), PATIENCE_MS)
      await over.finally(() => clearTimeout(patience))
    },
  }
  return transport
}
