import { escapeText } from '../../hostile-text/escape-text.ts'
import type { CheckAnswer } from '../../scan/check/check-result.ts'
import { EXIT } from '../exit.ts'
import { makeKnown } from '../make-known.ts'
import { safeJson } from '../output/safe-json.ts'
import { type CommonOptions, placeFrom, withCommonOptions } from '../settings.ts'
import { type CommandOf, commandWith } from './command.ts'
import { resultPath } from './result-path.ts'

/** `coord scan check OUT`: the final check of a result. */
export const checkCommand: CommandOf = (console, finish) =>
  withCommonOptions(
    commandWith(
      'check',
      'read the sources of a result again; it is complete when everything holds',
      'coord scan check ./scan-2026-11',
    ),
  )
    .argument('<out>', 'the folder of the result')
    .action(async (out: string, options: CommonOptions) => {
      const path = resultPath(out)
      const { checkResult } = await import('../../scan/check/check-result.ts')
      const answer = await checkResult(path, new Date(), {
        progress: sources => console.progress(`checking: ${sources.toLocaleString('en')} sources read again`),
      })
      makeKnown(placeFrom(options), 'scan', path, console)
      await console.print(options.json ? `${safeJson(answer)}\n` : describe(path, answer))
      finish(answer.passed ? EXIT.done : EXIT.refused)
    })

const MOST_SHOWN = 100

function describe(out: string, { passed, problems, notes }: CheckAnswer): string {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
  return [
    ...problems.slice(0, MOST_SHOWN).map(problem => `problem: ${escapeText(problem)}`),
    ...(problems.length > MOST_SHOWN
      ? [`… and ${problems.length - MOST_SHOWN} more; --json prints all`]
      : []),
    ...notes.slice(0, MOST_SHOWN).map(note => `note: ${escapeText(note)}`),
    ...(notes.length > MOST_SHOWN ? [`… and ${notes.length - MOST_SHOWN} more notes`] : []),
    `${escapeText(out)}: ${passed ? 'complete' : `incomplete, ${count}`}`,
    '',
  ].join('\n')
}
