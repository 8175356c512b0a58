import { verdictOf } from '../answer/verdict.ts'
import type { GateOf } from '../spec/chain-schema.ts'
import { render, renderToText } from '../template/render.ts'
import type { GateContext, GateResult } from './gate-context.ts'

/**
 * `ai_cross_check` and `skill`: what an agent of an independent family says of the step's answer. No verdict is not a
 * pass.
 */
export async function verdictGate(
  gate: GateOf<'ai_cross_check'> | GateOf<'skill'>,
  context: GateContext,
): Promise<GateResult> {
  const { lookUp, output } = context
  const input = { artifact: output.value, ...(render(gate.input ?? {}, lookUp) as object) }
  const ask =
    gate.type === 'skill'
      ? { skill: context.skill(gate.skill), input }
      : { instruction: renderToText(gate.instruction, lookUp), input }
  const asked = await context.askVerifier({ ...ask, verdict: 'pass or fail' }, gate.timeout)
  if ('problem' in asked) return { passed: false, detail: asked.problem }
  const verdict = verdictOf({ text: asked.answer, value: asked.answer }, ['pass', 'fail'])
  if (verdict === null) return { passed: false, detail: 'the answer gives no verdict' }
  return { passed: verdict === 'pass', detail: `verdict ${verdict}: ${firstLine(asked.answer)}` }
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]?.slice(0, 200).toWellFormed() ?? ''
}
