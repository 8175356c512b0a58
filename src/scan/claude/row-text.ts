import { type JsonObject, objectOf, objectsOf, textOf } from '../transcripts/json-row.ts'

/** The text of a message's content: the string, or its text blocks one under the other; images are left out. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  return objectsOf(content)
    .filter(block => block.type === 'text')
    .map(block => textOf(block.text) ?? '')
    .join('\n')
}

/** The content of a message row. */
export function contentOf(row: JsonObject): unknown {
  return objectOf(row.message)?.content
}

/** The tool_result blocks of a content. */
export function toolResults(content: unknown): JsonObject[] {
  return objectsOf(content).filter(block => block.type === 'tool_result')
}

/** A command as it was typed, `/name args`, where the text is the host's form of one. */
export function slashCommand(text: string): string | null {
  const trimmed = text.trim()
  if (!/^<command-(name|message)>/.test(trimmed)) return null
  const name = between(trimmed, '<command-name>', '</command-name>')
  if (name === null) return null
  // What was typed may hold the closing mark itself, and nothing of the host's follows it.
  const args = between(trimmed, '<command-args>', '</command-args>', 'last') ?? ''
  const typed = name.startsWith('/') ? name : `/${name}`
  return args === '' ? typed : `${typed} ${args}`
}

/** What was typed after `!`, where the text is the host's form of it. */
export function bashInput(text: string): string | null {
  return text.startsWith('<bash-input>') && text.endsWith('</bash-input>')
    ? text.slice('<bash-input>'.length, -'</bash-input>'.length)
    : null
}

/** Whether the text is the host's form of what a local command printed. */
export function isLocalOutput(text: string): boolean {
  return /^<(bash-stdout|bash-stderr|local-command-stdout|local-command-stderr)>/.test(text)
}

/** A prompt without the blocks that were pasted into it; null where there are none, or nothing else. */
export function withoutPasted(text: string): string | null {
  const typed = text.replace(/\s*<pasted_content id="([^"]*)">[\s\S]*?<\/pasted_content id="\1">\s*/g, PASTED)
  return typed === text ? null : typed.split(PASTED).filter(Boolean).join('\n') || null
}

const PASTED = '\u{f0000}'

/** What stands in the envelope of another session's or agent's message; null where there is none. */
export function insideEnvelope(text: string): string | null {
  const tag = /(?:^|\n)<(cross-session-message|agent-message|teammate-message)\b[^\n]*>\n/.exec(text)
  if (!tag) return null
  const start = tag.index + tag[0].length
  const end = text.lastIndexOf(`\n</${tag[1]}>`)
  return end < start ? null : text.slice(start, end)
}

/** What a plugin submitted, out of the host's wording around it. */
export function insidePluginMessage(text: string): string {
  const body = /^The [^\n]* plugin sent a message:\n([\s\S]*)\n\nThis is how Claude Code surfaces /.exec(text)
  return body?.[1] ?? text
}

function between(
  text: string,
  open: string,
  close: string,
  which: 'first' | 'last' = 'first',
): string | null {
  const at = text.indexOf(open)
  if (at === -1) return null
  const start = at + open.length
  const end = which === 'first' ? text.indexOf(close, start) : text.lastIndexOf(close)
  return end < start ? null : text.slice(start, end)
}
