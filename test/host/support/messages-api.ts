import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atEnd } from './endings.ts'
import { type Block, type MessageRequest, scriptedAnswer } from './model-script.ts'

/** One request for a message, as the host made it. */
export interface ApiRequest {
  at: number
  /** The session that asked, its agents included; undefined where the host did not say. */
  sessionId: string | undefined
  body: MessageRequest
}

/** Gives the model's answer to a request; undefined leaves it to the script. May wait, which keeps the turn running. */
export type Answer = (request: ApiRequest) => Block[] | undefined | Promise<Block[] | undefined>

/** A Messages API on the loopback interface with a model that does what its prompts say (model-script.ts). */
export interface MessagesApi {
  readonly url: string
  /** The requests for a message so far; of one session and its agents, if it is given. */
  requests(sessionId?: string): ApiRequest[]
  /** The other requests that came, such as `POST /v1/messages/count_tokens`. */
  readonly otherRequests: string[]
  /** Takes over the answers; undefined gives them back to the script. */
  answer: Answer | undefined
}

/** Starts an API; it stops when the test, or the file, ends. */
export async function messagesApi(): Promise<MessagesApi> {
  const requests: ApiRequest[] = []
  const otherRequests: string[] = []
  const api: MessagesApi = {
    url: '',
    requests: sessionId => requests.filter(one => sessionId === undefined || one.sessionId === sessionId),
    otherRequests,
    answer: undefined,
  }
  const server = createServer((request, response) => {
    // The host does not try again after a 400, so that a mistake in a test's script shows at once.
    serve(request, response).catch(error => response.headersSent || sendJson(response, 400, failure(error)))
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(request)
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    if (request.method !== 'POST' || path !== '/v1/messages') {
      otherRequests.push(`${request.method} ${path}`)
      sendJson(response, 200, path.endsWith('/count_tokens') ? { input_tokens: 10 } : {})
      return
    }
    const body = JSON.parse(text) as MessageRequest
    const asked = { at: Date.now(), sessionId: sessionIdIn(body), body }
    requests.push(asked)
    const number = requests.length
    const blocks = (await api.answer?.(asked)) ?? scriptedAnswer(body)
    const send = body.stream ? sendStream : sendMessage
    send(response, body.model, number, blocks)
  }

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  atEnd(
    () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return Object.assign(api, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function sessionIdIn(body: MessageRequest): string | undefined {
  try {
    return JSON.parse(body.metadata?.user_id ?? '').session_id
  } catch {
    return undefined
  }
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

function failure(error: unknown) {
  return { type: 'error', error: { type: 'invalid_request_error', message: String(error) } }
}

function sendMessage(response: ServerResponse, model: string, number: number, blocks: Block[]): void {
  const content = blocks.map((block, index) => withId(block, number, index))
  sendJson(response, 200, { ...emptyMessage(model, number), content, stop_reason: stopReason(blocks) })
}

function sendStream(response: ServerResponse, model: string, number: number, blocks: Block[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const event = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
  event('message_start', { message: emptyMessage(model, number) })
  blocks.forEach((block, index) => {
    if (block.type === 'text') {
      event('content_block_start', { index, content_block: { type: 'text', text: '' } })
      event('content_block_delta', { index, delta: { type: 'text_delta', text: block.text } })
    } else {
      event('content_block_start', { index, content_block: { ...withId(block, number, index), input: {} } })
      const partial_json = JSON.stringify(block.input)
      event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json } })
    }
    event('content_block_stop', { index })
  })
  event('message_delta', {
    delta: { stop_reason: stopReason(blocks), stop_sequence: null },
    usage: { output_tokens: 5 },
  })
  event('message_stop', {})
  response.end()
}

function withId(block: Block, number: number, index: number) {
  return block.type === 'tool_use' ? { ...block, id: `toolu_${number}_${index}` } : block
}

function stopReason(blocks: Block[]): string {
  return blocks.some(block => block.type === 'tool_use') ? 'tool_use' : 'end_turn'
}

function emptyMessage(model: string, number: number) {
  return {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  }
}
