import { runCommand } from '../processes/run-command.ts'
import type { GateOf } from '../spec/chain-schema.ts'
import { milliseconds } from '../spec/duration.ts'
import { asText, render } from '../template/render.ts'
import { GATE_TIMEOUT, type GateContext, type GateResult } from './gate-context.ts'

/**
 * `bash_exit_code`: whether a command ends with the exit code that is expected. Values reach it as arguments or as
 * variables of its environment, never as a part of a script.
 */
export async function bashExitCode(
  gate: GateOf<'bash_exit_code'>,
  context: GateContext,
): Promise<GateResult> {
  const { lookUp, cwd, signal } = context
  const texts = (values: string[] = []) => values.map(value => asText(render(value, lookUp)))
  const shell = gate.shell ?? 'bash'
  const argv =
    gate.script === undefined ? texts(gate.argv) : [shell, '-c', gate.script, shell, ...texts(gate.args)]
  const own = Object.entries(gate.env ?? {}).map(([name, value]) => [name, asText(render(value, lookUp))])
  const ended = await runCommand({
    argv,
    cwd,
    env: { ...context.env, ...Object.fromEntries(own) },
    timeoutMs: milliseconds(gate.timeout ?? GATE_TIMEOUT),
    signal,
    onStart: context.commandStarted,
  })
  context.commandEnded()
  const expected = gate.expect ?? 0
  const passed = typeof ended.exit === 'number' && ended.exit === expected && endedByItself(ended.problem)
  const said = context.redact(ended.stderr).trim().split('\n').at(-1)?.slice(0, 200)
  const how = endedByItself(ended.problem) ? `exit ${ended.exit}` : ended.problem
  const wanted = passed ? '' : `, not ${expected}${said ? `: ${said}` : ''}`
  return { passed, detail: `${gate.argv?.[0] ?? `the ${shell} script`}: ${how}${wanted}` }
}

function endedByItself(problem: string | null): boolean {
  return problem === null || problem.startsWith('exit ')
}
