import { Problem } from '../../problem/problem.ts'
import type { Decision } from '../../runner/log/event.ts'
import { runPlaceFrom } from '../chain-place.ts'
import { type CommonOptions, withCommonOptions } from '../settings.ts'
import { jobs } from './chain-run.ts'
import { type CommandOf, commandWith } from './command.ts'
import { nameValue } from './name-value.ts'
import { showRun } from './running-chain.ts'

interface Options extends CommonOptions {
  input?: Record<string, string>
  decide?: Record<string, string>
  jobs?: number
}

/** `coord chain resume`: goes on with a run that ended before it was complete. */
export const chainResume: CommandOf = (console, finish) =>
  withCommonOptions(
    commandWith(
      'resume',
      'go on with a run that was interrupted, crashed, or waits for a decision',
      'coord chain resume validate-decision_20261101T100000Z_k3x9ab --decide review=retry',
    ),
  )
    .argument('<run>', 'a run id, or the path of its log')
    .option('--input <name=value>', 'an input again; it has to be the one that the run began with', nameValue)
    .option(
      '--decide <step=decision>',
      'what becomes of an escalated step: retry, continue or halt',
      nameValue,
    )
    .option('--jobs <n>', 'how many steps may be at work at once', jobs)
    .action(async (word: string, options: Options) => {
      const { findLog } = await import('../../runner/log/log-path.ts')
      const { readWholeLog } = await import('../../runner/log/read-log.ts')
      const { resumeRun } = await import('../../runner/run/resume-run.ts')
      const { bindInputs } = await import('../../runner/inputs/bind-inputs.ts')
      const place = runPlaceFrom({})
      const decisions = decisionsOf(options.decide ?? {})
      const logPath = findLog(word, place.runnerFolder)
      const given = options.input
      const inputs = given && Object.keys(given).length > 0 ? given : undefined
      const steps = await stepsOf(readWholeLog(logPath).events[0])
      const code = await showRun(steps, options, console, running =>
        resumeRun(logPath, place, {
          ...running,
          jobs: options.jobs,
          decisions,
          inputs:
            inputs &&
            (({ chain }) => {
              // Only those that are given again are compared.
              const again = chain.inputs?.filter(({ name }) => Object.hasOwn(inputs, name)) ?? []
              return bindInputs({ ...chain, inputs: again }, inputs, process.cwd())
            }),
        }),
      )
      finish(code)
    })

function decisionsOf(given: Record<string, string>): Record<string, Decision> {
  for (const [step, word] of Object.entries(given)) {
    if (word === 'retry' || word === 'continue' || word === 'halt') continue
    throw new Problem('usage', `--decide ${step}=${word} is no decision`, { hint: 'retry, continue or halt' })
  }
  return given as Record<string, Decision>
}

/** The steps in order, from the chain's text in the log; where that cannot be read any more, resuming says why. */
async function stepsOf(first: unknown): Promise<string[]> {
  const { checkChain } = await import('../../runner/spec/read-chain.ts')
  const checked = checkChain((first as { yaml?: string } | undefined)?.yaml ?? '')
  return 'chain' in checked ? checked.chain.steps.map(step => step.id) : []
}
