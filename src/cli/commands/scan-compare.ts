import { escapeText } from '../../hostile-text/escape-text.ts'
import type { Comparison } from '../../scan/compare/compare-results.ts'
import type { Difference } from '../../scan/compare/differences.ts'
import { EXIT } from '../exit.ts'
import { safeJson } from '../output/safe-json.ts'
import { type CommandOf, commandWith } from './command.ts'
import { resultPath } from './result-path.ts'
import { saidText } from './said-text.ts'

/** `coord scan compare OLD NEW`: measures a new version on a frozen sample (rule.measuredDeployment). */
export const compareCommand: CommandOf = (console, finish) =>
  commandWith(
    'compare',
    'compare two results of the same sources, as two versions of coord made them',
    'coord scan compare ./sample-0.1 ./sample-0.2\ncoord scan compare ./sample-0.1 ./sample-0.2 --accept-loss "hook texts are no messages any more"',
  )
    .argument('<old>', 'the result of the version in use')
    .argument('<new>', 'the result of the version that is to be used; the comparison is recorded in it')
    .option('--accept-loss <reason>', 'why the losses are accepted')
    .option('--json', 'print one JSON document')
    .action(async (old: string, newer: string, options: { acceptLoss?: string; json?: boolean }) => {
      const acceptedLoss =
        options.acceptLoss === undefined ? null : saidText('--accept-loss', options.acceptLoss)
      const { compareResults } = await import('../../scan/compare/compare-results.ts')
      const comparison = await compareResults(resultPath(old), resultPath(newer), {
        acceptedLoss,
        now: new Date(),
      })
      await console.print(options.json ? `${safeJson(asDocument(comparison))}\n` : describe(comparison))
      if (!comparison.passed)
        console.tell('hint: a person who accepts the losses says so with --accept-loss "reason"')
      finish(comparison.passed ? EXIT.done : EXIT.refused)
    })

function asDocument({ record, passed, losses, gains, changes }: Comparison) {
  const { at, old, new: newer, sampleSha256, acceptedLoss } = record
  return { passed, at, old, new: newer, sampleSha256, losses, gains, changes, acceptedLoss }
}

function describe({ record, losses, gains, changes }: Comparison): string {
  const lines = (word: string, differences: readonly Difference[]) =>
    differences.map(({ id, what }) => `${word}: ${escapeText(id)}: ${escapeText(what)}`)
  const accepted = record.acceptedLoss === null ? '' : ` (accepted: ${escapeText(record.acceptedLoss)})`
  return [
    `old     ${escapeText(record.old.path)} (revision ${escapeText(record.old.revision)})`,
    `new     ${escapeText(record.new.path)} (revision ${escapeText(record.new.revision)})`,
    `sample  ${record.sampleSha256}`,
    ...lines('loss', losses),
    ...lines('gain', gains),
    ...lines('change', changes),
    `${losses.length} losses${accepted}, ${gains.length} gains, ${changes.length} changes`,
    '',
  ].join('\n')
}
