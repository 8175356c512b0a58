import packageJson from '../../../package.json' with { type: 'json' }
import { escapeText } from '../../hostile-text/escape-text.ts'
import { Problem } from '../../problem/problem.ts'
import type { Family } from '../../runner/agents/family.ts'
import type { StepPlan } from '../../runner/run/plan-steps.ts'
import type { Chain } from '../../runner/spec/chain-schema.ts'
import { chainPlacesFrom, type ProjectOption, runPlaceFrom } from '../chain-place.ts'
import { safeJson } from '../output/safe-json.ts'
import { askPerson, isAtTerminal } from '../person.ts'
import { type CommonOptions, withCommonOptions } from '../settings.ts'
import { type CommandOf, commandWith } from './command.ts'
import { nameValue } from './name-value.ts'
import { showRun } from './running-chain.ts'

interface Options extends ProjectOption, CommonOptions {
  input?: Record<string, string>
  author?: Record<string, string>
  jobs: number
  dryRun?: boolean
}

const EXAMPLES = `coord chain run validate-decision --input decision=./decision.md --author decision=person
coord chain run audit-cross-systems --input systems=billing,ledger --dry-run`

/** `coord chain run`: runs a chain from its first step. */
export const chainRun: CommandOf = (console, finish) =>
  withCommonOptions(commandWith('run', 'run a chain', EXAMPLES))
    .argument('<chain>', 'its name or file')
    .option('--input <name=value>', 'an input; may be given several times', nameValue)
    .option('--author <name=family>', 'who wrote what an input names: a family, or "person"', nameValue)
    .option('--jobs <n>', 'how many steps may be at work at once', jobs, 1)
    .option('--dry-run', 'check everything and show the plan; nothing is started')
    .option('--project <dir>', 'the project (else the one of the current folder)')
    .action(async (word: string, options: Options) => {
      const { findChain } = await import('../../runner/spec/find-chain.ts')
      const { readChain } = await import('../../runner/spec/read-chain.ts')
      const { bindInputs } = await import('../../runner/inputs/bind-inputs.ts')
      const { prepareRun } = await import('../../runner/run/prepare-run.ts')
      const read = readChain(findChain(word, chainPlacesFrom(options)).path)
      const inputs = bindInputs(read.chain, await withAnswers(read.chain, options.input ?? {}), process.cwd())
      const authors = await authorsOf(options.author ?? {})
      const place = runPlaceFrom(options)
      const prepared = await prepareRun(read, inputs, authors, place)
      if (options.dryRun) {
        const plan = { chain: read.chain.name, path: read.path, inputs, steps: prepared.plans }
        await console.print(
          options.json ? `${safeJson({ plan })}\n` : planText(read.chain, inputs, prepared.plans),
        )
        return finish(0)
      }
      const { startRun } = await import('../../runner/run/start-run.ts')
      const steps = read.chain.steps.map(step => step.id)
      const program = `coord ${packageJson.version}`
      const code = await showRun(steps, options, console, running =>
        startRun(prepared, place, { ...running, jobs: options.jobs, program }),
      )
      finish(code)
    })

/** How many steps may be at work at once, as an option gives it. */
export function jobs(word: string): number {
  if (/^[1-9]\d?$/.test(word)) return Number(word)
  throw new Problem('usage', `--jobs ${word} is no number of jobs`, { hint: '--jobs 1 to --jobs 99' })
}

/** On a terminal what is missing is asked for, once, in one question; elsewhere it stays missing and is an error. */
async function withAnswers(chain: Chain, given: Record<string, string>): Promise<Record<string, string>> {
  const { describeInput, missingInputs } = await import('../../runner/inputs/bind-inputs.ts')
  const missing = missingInputs(chain, given)
  if (missing.length === 0 || !isAtTerminal()) return given
  const question = [`${chain.name} needs:`, ...missing.map(input => `  ${describeInput(input)}`)].join('\n')
  const answers = await askPerson(
    question,
    missing.map(input => input.name),
  )
  return { ...given, ...answers }
}

async function authorsOf(given: Record<string, string>): Promise<Record<string, Family | 'person'>> {
  const { FAMILIES, familyOf } = await import('../../runner/agents/family.ts')
  return Object.fromEntries(
    Object.entries(given).map(([name, word]) => {
      if (word === 'person') return [name, 'person']
      const family = familyOf(word)
      if (family !== 'unknown' || word === 'unknown') return [name, family]
      throw new Problem('usage', `--author ${name}=${word} names no family`, {
        hint: `families: ${FAMILIES.join(', ')}; or "person"`,
      })
    }),
  )
}

function planText(chain: Chain, inputs: Record<string, unknown>, plans: StepPlan[]): string {
  const lines = [
    `${chain.name} ${chain.version}: ${chain.description}`,
    ...Object.entries(inputs).map(([name, value]) => `input ${name} = ${JSON.stringify(value)}`),
    ...chain.steps.flatMap((step, index) => {
      const plan = plans[index]
      const who = step.skill === undefined ? plan?.agent : `${plan?.agent} with ${step.skill}`
      const verifier = plan?.verifier ? [`     verified by ${plan.verifier}`] : []
      const gates = (step.gates ?? []).map(
        gate => `     gate ${gate.name ?? gate.type}, else ${gate.on_fail}`,
      )
      const left = plan?.leftOut ? ', left out by run_if' : ''
      return [
        `${String(index + 1).padStart(3)}. ${step.id}: ${who} (${plan?.family})${left}`,
        ...gates,
        ...verifier,
      ]
    }),
    'nothing was started',
  ]
  return `${lines.map(line => escapeText(line)).join('\n')}\n`
}
