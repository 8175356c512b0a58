import { promptOf } from '../agents/prompt.ts'
import type { Agent } from '../agents/runner-settings.ts'
import { evaluateGate } from '../gates/evaluate-gate.ts'
import type { GateContext } from '../gates/gate-context.ts'
import { inOwnRepository } from '../isolation/git-environment.ts'
import type { Output } from '../log/event.ts'
import { valuesIn } from '../plan/values.ts'
import { processIdentity } from '../processes/process-identity.ts'
import type { Gate, Step } from '../spec/chain-schema.ts'
import { askAgent } from './ask-agent.ts'
import { authorsOfGate } from './authors.ts'
import { Interrupted, type Run } from './run-context.ts'
import { route } from './verify-step.ts'

/**
 * Evaluates a step's gates in declared order, each with its own `on_fail`: warn goes on, retry ends the attempt, halt
 * ends the chain.
 *
 * @returns why the attempt is over; null where every gate passed or only warned
 * @throws BudgetUsedUp, Interrupted
 */
export async function runGates(
  run: Run,
  step: Step,
  author: Agent,
  output: Output,
  cwd: string,
): Promise<{ reason: string; refused: boolean; isFinal: boolean } | null> {
  const { journal } = run
  const attempt = journal.state.inFlight.get(step.id) ?? 1
  for (const [index, gate] of (step.gates ?? []).entries()) {
    const { passed, detail } = await evaluateGate(gate, contextOf(run, step, index, author, output, cwd))
    if (run.signal.aborted) throw new Interrupted()
    const name = gate.name ?? gate.type
    journal.write({
      ...{ event: 'gate', step: step.id, attempt, gate: index, type: gate.type, name },
      ...{ passed, on_fail: gate.on_fail, detail },
    })
    if (passed || gate.on_fail === 'warn') continue
    return { reason: `gate ${name}: ${detail}`, refused: true, isFinal: gate.on_fail === 'halt' }
  }
  return null
}

function contextOf(
  run: Run,
  step: Step,
  index: number,
  author: Agent,
  output: Output,
  cwd: string,
): GateContext {
  const { place, settings, signal, journal } = run
  const gate = step.gates?.[index] as Gate
  return {
    ...{ cwd, env: inOwnRepository(place.env), settings, signal, output },
    lookUp: valuesIn(run.inputs, journal.state, { id: step.id, output }),
    redact: text => run.secrets.redact(text),
    skill: reference => run.skills.get(reference),
    commandStarted: pid =>
      journal.write({
        ...{ event: 'command_started', step: step.id, gate: index, pid, identity: processIdentity(pid) },
      }),
    commandEnded: () => journal.write({ event: 'command_ended', step: step.id, gate: index }),
    async askVerifier(ask, timeout) {
      const familyOfStep = (id: string) =>
        id === step.id ? author.family : (journal.state.results.get(id)?.family ?? 'unknown')
      const authors = authorsOfGate(run.read.chain, step, gate, familyOfStep, run.authors)
      const routed = route(run, step.id, 'gate', authors)
      if ('problem' in routed) return routed
      const question = { step: step.id, purpose: 'gate' as const, agent: routed.agent, cwd, timeout }
      return askAgent(run, { ...question, prompt: promptOf(ask), skill: ask.skill })
    },
  }
}
