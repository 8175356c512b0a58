import type { FoundSend, RowPlace } from '../extract/found.ts'
import { addOnce, commitsIn, happened, said, type Turn } from '../extract/turn.ts'
import { type JsonObject, keyOf, objectOf, objectsOf, textOf } from '../transcripts/json-row.ts'
import { contentOf, contentText, toolResults } from './row-text.ts'

/** A tool call that waits for its result; plain data, kept between two readings. */
export interface ToolCall {
  name: string
  command: string | null
  file: string | null
  description: string | null
  message: string | null
  /** The session that made the call, where the row was copied from another's transcript. */
  session: string | null
}

export type ToolCalls = Record<string, ToolCall>

const EDITS = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit'])
const AGENTS = new Set(['Agent', 'Task'])

/** Takes in what an assistant row says. */
export function followAssistant(turn: Turn, row: JsonObject): void {
  const message = objectOf(row.message)
  turn.hasReply = true
  const text = contentText(message?.content)
  if (text !== '') said(turn, text)
  if (row.isApiErrorMessage === true) turn.end = 'error'
  else if (message?.stop_reason === 'end_turn' || message?.stop_reason === 'stop_sequence') turn.end = 'done'
  else turn.end = 'unknown'
}

/** Keeps what an assistant row calls until the results come. */
export function noteCalls(calls: ToolCalls, row: JsonObject): void {
  for (const block of objectsOf(contentOf(row))) {
    const id = textOf(block.id)
    if (block.type !== 'tool_use' || id === undefined) continue
    const input = objectOf(block.input) ?? {}
    calls[keyOf(id)] = {
      name: textOf(block.name) ?? '',
      command: textOf(input.command) ?? null,
      file: textOf(input.file_path) ?? textOf(input.notebook_path) ?? null,
      description: textOf(input.description) ?? null,
      message: textOf(input.message) ?? null,
      session: textOf(row.requestSessionId) ?? null,
    }
  }
}

/** Takes in the results of tool calls: what was edited, run, committed, started; returns the messages that were sent. */
export function followResults(
  turn: Turn,
  calls: ToolCalls,
  row: JsonObject,
  place: RowPlace & { row: string | null; session: string; at: string | null },
): FoundSend[] {
  const sends: FoundSend[] = []
  const result = objectOf(row.toolUseResult)
  for (const block of toolResults(contentOf(row))) {
    const key = keyOf(textOf(block.tool_use_id) ?? '')
    const call = calls[key]
    delete calls[key]
    if (!call) continue
    const isError = block.is_error === true
    const output = contentText(block.content)
    if (call.command !== null && call.name === 'Bash') {
      const { command } = call
      const exit = exitOf(isError, output, result)
      const text = textOf(result?.stdout) ?? output
      happened(turn, trace => {
        trace.commands.push({ command, exit })
        for (const commit of commitsIn(command, text)) addOnce(trace.commits, commit)
      })
    }
    const { file } = call
    if (file !== null && !isError && EDITS.has(call.name))
      happened(turn, trace => addOnce(trace.filesEdited, file))
    if (AGENTS.has(call.name) && !isError) {
      const agent = { id: textOf(result?.agentId) ?? null, description: call.description }
      happened(turn, trace => void trace.agents.push({ ...agent }))
    }
    const msgId = call.name === 'SendMessage' ? textOf((result ?? resultIn(output))?.msg_id) : undefined
    if (msgId !== undefined && call.message !== null)
      sends.push({ msgId, words: call.message, ...place, session: call.session ?? place.session })
  }
  return sends
}

/** A result as the model was given it: the rows of an agent hold it in no other form. */
function resultIn(output: string): JsonObject | undefined {
  try {
    return objectOf(JSON.parse(output))
  } catch {
    return undefined
  }
}

/** The exit of a command: 0 where the host calls it no error, the number it states for one, null where it shows none. */
function exitOf(isError: boolean, output: string, result: JsonObject | undefined): number | null {
  if (isError) {
    const stated = /^(?:Error: )?Exit code (\d+)/.exec(output)
    return stated ? Number(stated[1]) : null
  }
  return result?.interrupted === true || result?.backgroundTaskId !== undefined ? null : 0
}
