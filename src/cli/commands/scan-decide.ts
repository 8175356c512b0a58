import { escapeText } from '../../hostile-text/escape-text.ts'
import { Problem } from '../../problem/problem.ts'
import { DECIDED_LABELS, type Label, OUTCOMES, type OutcomeName } from '../../scan/message.ts'
import type { Decided } from '../../scan/result/decide.ts'
import { EXIT } from '../exit.ts'
import { safeJson } from '../output/safe-json.ts'
import { type CommandOf, commandWith } from './command.ts'
import { resultPath } from './result-path.ts'
import { saidText } from './said-text.ts'

/** `coord scan resolve OUT ID…`: whose words unresolved messages are, as somebody decided who read them. */
export const resolveCommand: CommandOf = (console, finish) =>
  commandWith(
    'resolve',
    'record whose words an unresolved message is, and why',
    'coord scan resolve ./scan-2026-11 3f9a21 --label launcher --reason "the nightly script of tools/nightly.sh" --by Ada',
  )
    .argument('<out>', 'the folder of the result')
    .argument('<id...>', 'ids of unresolved messages; the beginning of one is enough where it names one')
    .requiredOption('--label <label>', DECIDED_LABELS.join(', '))
    .requiredOption('--reason <text>', 'what shows it')
    .option('--by <name>', 'who decided it')
    .option('--json', 'print one JSON document')
    .action(async (out: string, ids: string[], options: ResolveOptions) => {
      const label = oneOf('--label', options.label, DECIDED_LABELS)
      const reason = saidText('--reason', options.reason)
      const { resolveMessages } = await import('../../scan/result/decide.ts')
      const path = resultPath(out)
      const decided = await resolveMessages(path, ids, {
        label,
        reason,
        by: options.by ?? null,
        now: new Date(),
      })
      await console.print(told(path, decided, label, options.json ?? false))
      finish(EXIT.done)
    })

/** `coord scan trace OUT ID…`: what became of directions. */
export const traceCommand: CommandOf = (console, finish) =>
  commandWith(
    'trace',
    'record what became of a direction, and by what evidence',
    'coord scan trace ./scan-2026-11 81c0 7be2 --outcome done --evidence "commit 4f0c2d1, test/parser" --by Ada',
  )
    .argument('<out>', 'the folder of the result')
    .argument('<id...>', 'ids of directions; the beginning of one is enough where it names one')
    .requiredOption('--outcome <outcome>', OUTCOMES.join(', '))
    .requiredOption('--evidence <text>', 'what shows it; of an open one, where it was looked for')
    .option('--by <name>', 'who traced it')
    .option('--json', 'print one JSON document')
    .action(async (out: string, ids: string[], options: TraceOptions) => {
      const outcome = oneOf('--outcome', options.outcome, OUTCOMES)
      const evidence = saidText('--evidence', options.evidence)
      const { traceDirections } = await import('../../scan/result/decide.ts')
      const path = resultPath(out)
      const verdict = { outcome, evidence, by: options.by ?? null, now: new Date() }
      await console.print(
        told(path, await traceDirections(path, ids, verdict), outcome, options.json ?? false),
      )
      finish(EXIT.done)
    })

interface ResolveOptions {
  label: string
  reason: string
  by?: string
  json?: boolean
}

interface TraceOptions {
  outcome: string
  evidence: string
  by?: string
  json?: boolean
}

function oneOf<Name extends string>(option: string, given: string, names: readonly Name[]): Name {
  const found = names.find(name => name === given.toLowerCase())
  if (found) return found
  throw new Problem('usage', `${option} is none of those that there are: ${given}`, {
    hint: names.join(', '),
  })
}

function told(
  out: string,
  { ids, manifest: { status, counts } }: Decided,
  as: Label | OutcomeName,
  json: boolean,
): string {
  if (json)
    return `${safeJson({ out, ids, as, status, unresolved: counts.messages.unresolved, directions: counts.directions })}\n`
  return [
    ...ids.map(id => `${escapeText(id)}: ${as}`),
    `${escapeText(out)}: ${status}, ${counts.messages.unresolved} unresolved, ${counts.directions} directions`,
    '',
  ].join('\n')
}
