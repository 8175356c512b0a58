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

/** What a prompt says in the person's words: what was typed around the pastes, or the pastes where nothing was. */
export interface PromptWords {
  words: string
  isPasted: boolean
}

const PASTE_MARK = /<(\/?)pasted_content id="([0-9A-Za-z]{1,64})">/g

/**
 * The words of a prompt into which blocks may have been pasted. The host puts at most two line feeds around a block;
 * every other blank was typed.
 */
export function promptWords(text: string): PromptWords {
  const typed: string[] = []
  const pasted: string[] = []
  let end = 0
  for (const { from, to, inside } of pastedBlocks(text)) {
    typed.push(text.slice(end, from).replace(/\n{1,2}$/, ''))
    pasted.push(inside)
    end = to
  }
  if (pasted.length === 0) return { words: text, isPasted: false }
  const parts = [...typed, text.slice(end)].filter(part => part.trim() !== '')
  return parts.length > 0
    ? { words: parts.join('\n'), isPasted: false }
    : { words: pasted.join('\n'), isPasted: true }
}

/** The pasted blocks of a prompt, each to the first mark of its end; a mark without an end is typed text. */
function pastedBlocks(text: string): { from: number; to: number; inside: string }[] {
  const marks = [...text.matchAll(PASTE_MARK)]
  const lastEnd = new Map(marks.filter(([, slash]) => slash !== '').map(({ 2: id, index }) => [id, index]))
  const blocks: { from: number; to: number; inside: string }[] = []
  let open: { id: string | undefined; from: number; to: number } | null = null
  for (const { 0: mark, 1: slash, 2: id, index } of marks) {
    if (open === null) {
      if (slash === '' && (lastEnd.get(id) ?? -1) > index) open = { id, from: index, to: index + mark.length }
    } else if (slash !== '' && id === open.id) {
      const inside = text.slice(open.to, index).replace(/^\n/, '').replace(/\n$/, '')
      let to = index + mark.length
      for (let feeds = 0; feeds < 2 && text[to] === '\n'; feeds++) to += 1
      blocks.push({ from: open.from, to, inside })
      open = null
    }
  }
  return blocks
}

/** What stands in the envelope of another session's or agent's message; null where there is none. */
export function insideEnvelope(text: string): string | null {
  const tag = /(?:^|\n)<(cross-session-message|agent-message|teammate-message)\b[^\n]*>\n/.exec(text)
  if (!tag) return null
  const start = tag.index + tag[0].length
  const end = text.lastIndexOf(`\n</${tag[1]}>`)
  return end < start ? null : text.slice(start, end)
}

/** The envelope of another session's or agent's message with what stands in it, out of the host's wording around it. */
export function envelopeIn(text: string): string | null {
  const tag = /(?:^|\n)(<(cross-session-message|agent-message|teammate-message)\b)/.exec(text)
  if (!tag) return null
  const close = `\n</${tag[2]}>`
  const end = text.lastIndexOf(close)
  return end === -1
    ? null
    : text.slice(tag.index + tag[0].length - (tag[1] as string).length, end + close.length)
}

/** What the coordinator of an agent sent, out of the host's wording around it. */
export function insideCoordinatorMessage(text: string): string {
  const body =
    /^The coordinator sent a message while you were working:\n([\s\S]*)\n\nAddress this before completing your current task\.$/.exec(
      text,
    )
  return body?.[1] ?? text
}

/** What the person sent to an agent that had ended, out of the host's wording around it. */
export function insideUserMessage(text: string): string {
  const head = 'The user sent a new message while you were working:\n'
  const end = text.lastIndexOf('\n\nThis is how Claude Code surfaces messages the user sends mid-turn')
  return text.startsWith(head) && end >= head.length ? text.slice(head.length, end) : text
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
