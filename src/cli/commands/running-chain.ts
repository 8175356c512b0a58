import type { Decision } from '../../runner/log/event.ts'
import type { RunObserver } from '../../runner/run/run-context.ts'
import type { RunSummary } from '../../runner/run/run-summary.ts'
import type { Console } from '../console.ts'
import { EXIT } from '../exit.ts'
import { makeKnown } from '../make-known.ts'
import { chainProgress } from '../output/chain-progress.ts'
import { chainSummary } from '../output/chain-summary.ts'
import { safeJson } from '../output/safe-json.ts'
import { askPerson, isAtTerminal } from '../person.ts'
import { type CommonOptions, placeFrom } from '../settings.ts'

/** What a run and a resumed run share: progress, questions, Ctrl-C, the summary. */
export interface Running {
  observer: RunObserver
  signal: AbortSignal
  begins(runId: string, logPath: string): void
}

/**
 * Lets a run be seen and interrupted, and prints what it came to; gives the exit code.
 *
 * @param steps the ids of the chain's steps, in order
 */
export async function showRun(
  steps: readonly string[],
  options: CommonOptions,
  console: Console,
  work: (running: Running) => Promise<RunSummary>,
): Promise<number> {
  const terminal = process.stderr.isTTY ? { columns: process.stderr.columns ?? 80 } : null
  const place = placeFrom(options)
  const progress = chainProgress(steps, text => void process.stderr.write(text), terminal)
  const cancel = new AbortController()
  const stop = (signal: NodeJS.Signals) => cancel.abort(signal)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, stop)
  try {
    const summary = await work({
      signal: cancel.signal,
      begins(runId, logPath) {
        console.tell(`coord: run ${runId}, audit log ${logPath}`)
        makeKnown(place, 'run', logPath, console)
      },
      observer: { event: progress.event, decide: (step, reason) => decide(step, reason, progress.pause) },
    })
    progress.end()
    await console.print(
      options.json ? `${safeJson({ run: summary })}\n` : chainSummary(summary, console.width),
    )
    return exitOf(summary)
  } finally {
    progress.end()
    for (const signal of signals) process.off(signal, stop)
  }
}

async function decide(step: string, reason: string, pause: () => void): Promise<Decision | null> {
  if (!isAtTerminal()) return null
  pause()
  const question = `step ${step} failed and is yours to decide: ${reason}`
  const field = 'retry, continue or halt'
  for (;;) {
    const word = (await askPerson(question, [field]))?.[field]?.trim()
    if (word === undefined) return null
    if (word === 'retry' || word === 'continue' || word === 'halt') return word
  }
}

/** A run that a check refused ends as any refused check does; one that came to its end in part is a partial answer. */
function exitOf({ status, refused }: RunSummary): number {
  if (status === 'succeeded') return EXIT.done
  if (status === 'partial') return EXIT.partial
  return refused ? EXIT.refused : EXIT.failed
}
