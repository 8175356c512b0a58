import { addOnce, commitsIn, happened, said, type Turn } from '../extract/turn.ts'
import { type JsonObject, keyOf, objectOf, objectsOf, textOf } from '../transcripts/json-row.ts'

/** Commands that wait for their output, by call id; plain data. */
export type CodexCalls = Record<string, string>

/** Takes in an item of the conversation that is no user's message. */
export function followItem(turn: Turn, calls: CodexCalls, item: JsonObject): void {
  switch (item.type) {
    case 'message': {
      if (item.role !== 'assistant') return
      turn.hasReply = true
      const text = objectsOf(item.content)
        .map(part => textOf(part.text) ?? '')
        .join('\n')
      if (text !== '') said(turn, text)
      return
    }
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
      return followCall(turn, calls, item)
    case 'function_call_output':
    case 'custom_tool_call_output':
      return followOutput(turn, calls, item)
  }
}

function followCall(turn: Turn, calls: CodexCalls, item: JsonObject): void {
  const id = textOf(item.call_id)
  if (id === undefined) return
  const input = textOf(item.arguments) ?? textOf(item.input) ?? ''
  const patch = /\*\*\* (?:Add|Update|Delete) File: (.+)/g
  for (const file of input.replaceAll('\\n', '\n').matchAll(patch)) {
    happened(turn, trace => addOnce(trace.filesEdited, (file[1] as string).trim()))
  }
  const command = commandOf(input) ?? commandOf(objectOf(item.action))
  if (command !== null) calls[keyOf(id)] = command
}

function commandOf(input: string | JsonObject | undefined): string | null {
  const call = typeof input === 'string' ? parsed(input) : input
  const command = call?.cmd ?? call?.command
  if (typeof command === 'string') return command
  if (!Array.isArray(command)) return null
  // A shell that is given one line: the line is the command.
  const words = command.filter(word => typeof word === 'string')
  return words.length === 3 && /^-l?c$/.test(words[1] ?? '') ? (words[2] as string) : words.join(' ')
}

function followOutput(turn: Turn, calls: CodexCalls, item: JsonObject): void {
  const key = keyOf(textOf(item.call_id) ?? '')
  const command = calls[key]
  delete calls[key]
  if (command === undefined) return
  const output = textOf(item.output) ?? textOf(objectOf(item.output)?.content) ?? ''
  const inner = parsed(output)
  const text = textOf(inner?.output) ?? output
  ran(turn, command, exitIn(inner, output), text)
}

/** Takes in a finished command that an event tells whole. */
export function followCommandItem(turn: Turn, calls: CodexCalls, item: JsonObject): void {
  const command = commandOf({ command: item.command })
  if (command === null) return
  const id = textOf(item.id)
  if (id !== undefined) delete calls[keyOf(id)]
  ran(
    turn,
    command,
    typeof item.exit_code === 'number' ? item.exit_code : null,
    textOf(item.aggregated_output) ?? '',
  )
}

function ran(turn: Turn, command: string, exit: number | null, output: string): void {
  happened(turn, trace => {
    trace.commands.push({ command, exit })
    for (const commit of commitsIn(command, output)) addOnce(trace.commits, commit)
  })
}

function exitIn(inner: JsonObject | undefined, output: string): number | null {
  const stated = objectOf(inner?.metadata)?.exit_code
  if (typeof stated === 'number') return stated
  const match = /^(?:Process exited with code|Exit code:) (-?\d+)$/m.exec(output)
  return match ? Number(match[1]) : null
}

function parsed(text: string): JsonObject | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    return objectOf(JSON.parse(text))
  } catch {
    return undefined
  }
}
