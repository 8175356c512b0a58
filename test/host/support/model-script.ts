/** One tool call that the model is told to make. */
export interface ToolCall {
  name: string
  input: unknown
}

export type Block = { type: 'text'; text: string } | { type: 'tool_use'; name: string; input: unknown }

/** A part of a message as the host sends it; only what the script looks at. */
interface Part {
  type: string
  text?: string
  content?: unknown
}

interface Message {
  role: string
  content: string | Part[]
}

/** The body of a request for a message; only what scripts and tests look at. */
export interface MessageRequest {
  model: string
  stream?: boolean
  system?: string | { text: string }[]
  tools?: { name: string; description?: string; input_schema?: unknown }[]
  messages: Message[]
  metadata?: { user_id?: string }
}

/**
 * A prompt that makes the model work through `steps`, in order, and then answer plain text. A step is one tool call
 * or an array of calls, which are made in parallel. Prompts for agents can be scripts too: `call('Agent', { …,
 * prompt: script(…) })`, and so can a message to another session, which then works through it.
 */
export function script(...steps: (ToolCall | ToolCall[])[]): string {
  return steps.map(step => `CALL ${JSON.stringify(step)}`).join('\n')
}

export function call(name: string, input: unknown = {}): ToolCall {
  return { name, input }
}

/**
 * What the scripted model answers: the next step of the latest prompt that is a script, else `done: ` and the results
 * of the last calls, else `ok`. It is worked out from the conversation alone, so agents, parallel sessions and
 * resumed ones do not disturb each other. A request that offers no tools, such as one for a title, gets `ok`.
 */
export function scriptedAnswer(request: MessageRequest): Block[] {
  const messages = request.messages.filter(message => message.role !== 'system')
  const at = messages.findLastIndex(message => message.role === 'user' && isPrompt(message))
  const prompt = messages[at]
  const steps = prompt && request.tools?.length ? stepsOf(prompt) : []
  const since = messages.slice(at + 1)
  const next = steps[since.filter(message => hasPart(message, 'tool_use')).length]
  if (next) return next.map(({ name, input }) => ({ type: 'tool_use', name, input }))
  const sinceAnswer = since.slice(since.findLastIndex(message => message.role === 'assistant') + 1)
  const results = sinceAnswer.filter(message => hasPart(message, 'tool_result')).map(resultsIn)
  return [{ type: 'text', text: results.length > 0 ? `done: ${results.join('\n')}` : 'ok' }]
}

/** All text that the model was sent in the conversation: prompts, reminders and results, in order. */
export function textSent(request: MessageRequest): string {
  return request.messages
    .filter(message => message.role !== 'assistant')
    .flatMap(message => parts(message).map(part => part.text ?? contentText(part.content)))
    .join('\n')
}

function parts(message: Message): Part[] {
  return typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
}

function hasPart(message: Message, type: string): boolean {
  return parts(message).some(part => part.type === type)
}

/** A script is a prompt; other text is one unless it is the host's, or stands beside results of calls. */
function isPrompt(message: Message): boolean {
  if (stepsOf(message).length > 0) return true
  if (hasPart(message, 'tool_result')) return false
  return parts(message).some(part => part.type === 'text' && !part.text?.startsWith('<system-reminder>'))
}

function stepsOf(message: Message): ToolCall[][] {
  return (
    parts(message)
      .flatMap(part => (part.type === 'text' ? (part.text ?? '').split('\n') : []))
      // The host indents what a workflow's script says.
      .filter(line => /^ *CALL [[{]/.test(line))
      .map(line => [JSON.parse(line.trimStart().slice('CALL '.length))].flat())
  )
}

function resultsIn(message: Message): string {
  return parts(message)
    .filter(part => part.type === 'tool_result')
    .map(part => contentText(part.content))
    .join('\n')
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return (content as Part[]).map(part => part.text ?? '').join('\n')
}
