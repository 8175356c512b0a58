import { jsonSchemaCheck } from '../answer/json-schema-check.ts'
import type { GateOf } from '../spec/chain-schema.ts'
import { milliseconds } from '../spec/duration.ts'
import { render, renderToText } from '../template/render.ts'
import { GATE_TIMEOUT, type GateContext, type GateResult } from './gate-context.ts'

/**
 * `mcp_call`: what a tool of an MCP server answers. The server is a command of the person's settings, spoken to over
 * its standard input and output; a chain cannot name another one.
 */
export async function mcpCall(gate: GateOf<'mcp_call'>, context: GateContext): Promise<GateResult> {
  const server = context.settings.mcpServers[gate.server]
  if (!server)
    return { passed: false, detail: `no MCP server "${gate.server}" in the settings of the runner` }
  const args = render(gate.arguments ?? {}, context.lookUp) as Record<string, unknown>
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
  const { startMcpServer } = await import('./mcp-server.ts')
  const transport = startMcpServer({
    ...server,
    cwd: context.cwd,
    onStart: context.commandStarted,
  })
  const client = new Client({ name: 'coord', version: '1' })
  const options = { timeout: milliseconds(gate.timeout ?? GATE_TIMEOUT), signal: context.signal }
  try {
    await client.connect(transport, options)
    const result = (await client.callTool({ name: gate.tool, arguments: args }, undefined, options)) as Called
    return judge(gate, result, context)
  } catch (error) {
    const why = transport.problem() ?? (error as Error).message
    return { passed: false, detail: `${gate.server}.${gate.tool}: ${why}` }
  } finally {
    await client.close()
    await transport.close()
    context.commandEnded()
  }
}

interface Called {
  isError?: boolean
  content?: { type: string; text?: string }[]
  structuredContent?: unknown
}

function judge(gate: GateOf<'mcp_call'>, result: Called, context: GateContext): GateResult {
  const text = (result.content ?? []).map(part => part.text ?? '').join('\n')
  const told = `${gate.server}.${gate.tool} answers ${JSON.stringify(context.redact(text).slice(0, 120).toWellFormed())}`
  if (result.isError) return { passed: false, detail: `${told}, as an error` }
  if (gate.contains !== undefined) {
    const wanted = renderToText(gate.contains, context.lookUp)
    if (!text.includes(wanted)) return { passed: false, detail: `${told}, without ${JSON.stringify(wanted)}` }
  }
  if (gate.schema === undefined) return { passed: true, detail: told }
  const check = jsonSchemaCheck(gate.schema)
  const wrong =
    'mistake' in check ? check.mistake : (check.firstMisfit([answeredValue(result, text)])?.what ?? null)
  return { passed: wrong === null, detail: wrong === null ? told : `${told}: ${wrong}` }
}

function answeredValue(result: Called, text: string): unknown {
  if (result.structuredContent !== undefined) return result.structuredContent
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
