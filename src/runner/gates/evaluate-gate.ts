import type { Gate } from '../spec/chain-schema.ts'
import { NoValue } from '../template/render.ts'
import { bashExitCode } from './bash-exit-code.ts'
import { fileContains, fileExists } from './files.ts'
import type { GateContext, GateResult } from './gate-context.ts'
import { httpStatus } from './http-status.ts'
import { jsonSchemaGate } from './json-schema.ts'
import { mcpCall } from './mcp-call.ts'
import { verdictGate } from './verdict-gates.ts'

/** Evaluates one gate; one that cannot be evaluated has not passed. */
export async function evaluateGate(gate: Gate, context: GateContext): Promise<GateResult> {
  try {
    return await evaluate(gate, context)
  } catch (error) {
    if (error instanceof NoValue) return { passed: false, detail: error.message }
    throw error
  }
}

function evaluate(gate: Gate, context: GateContext): GateResult | Promise<GateResult> {
  switch (gate.type) {
    case 'file_exists':
      return fileExists(gate, context)
    case 'file_contains':
      return fileContains(gate, context)
    case 'bash_exit_code':
      return bashExitCode(gate, context)
    case 'http_status':
      return httpStatus(gate, context)
    case 'json_schema':
      return jsonSchemaGate(gate, context)
    case 'skill':
    case 'ai_cross_check':
      return verdictGate(gate, context)
    case 'mcp_call':
      return mcpCall(gate, context)
  }
}
