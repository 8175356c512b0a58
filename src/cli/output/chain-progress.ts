import { escapeText } from '../../hostile-text/escape-text.ts'
import type { LoggedEvent } from '../../runner/log/event.ts'
import { fitEscaped } from './fit-text.ts'

/** What a person sees of a run while it runs. */
export interface ChainProgress {
  event(event: LoggedEvent): void
  /** Takes the live line away, for a question or at the end. */
  pause(): void
  end(): void
}

const REDRAW_MS = 500
const CLEAR = '\r\x1b[2K'

/**
 * A line for each thing that happened; on a terminal also a live last line with the steps at work, how long they have
 * been, and their retries.
 */
export function chainProgress(
  steps: readonly string[],
  write: (text: string) => void,
  terminal: { columns: number } | null,
): ChainProgress {
  const atWork = new Map<string, { since: number; attempt: number }>()
  let isPaused = false
  const draw = () => {
    if (!terminal || isPaused || atWork.size === 0) return
    write(`${CLEAR}${fitEscaped(liveLine(steps, atWork, Date.now()), terminal.columns - 1)}`)
  }
  const timer = terminal ? setInterval(draw, REDRAW_MS).unref() : undefined
  return {
    event(event) {
      isPaused = false
      if (event.event === 'step_started') {
        const since = atWork.get(event.step)?.since ?? Date.parse(event.at)
        atWork.set(event.step, { since, attempt: event.attempt })
      }
      if (event.event === 'step_completed' || event.event === 'escalated') atWork.delete(event.step)
      const line = progressLine(steps, event)
      if (line !== null) write(`${terminal ? CLEAR : ''}${escapeText(line)}\n`)
      draw()
    },
    pause() {
      isPaused = true
      if (terminal) write(CLEAR)
    },
    end() {
      clearInterval(timer)
      if (terminal) write(CLEAR)
    },
  }
}

/** The steps at work: `step 2/5 draft 12 s, retry 1`. */
export function liveLine(
  steps: readonly string[],
  atWork: ReadonlyMap<string, { since: number; attempt: number }>,
  now: number,
): string {
  const parts = [...atWork].map(([id, { since, attempt }]) => {
    const elapsed = `${Math.floor((now - since) / 1000)} s`
    return `step ${steps.indexOf(id) + 1}/${steps.length} ${id} ${elapsed}${attempt > 1 ? `, retry ${attempt - 1}` : ''}`
  })
  return escapeText(parts.join(' · '))
}

/** What an event is to a person, in one line; null where it is nothing to them. */
function progressLine(steps: readonly string[], event: LoggedEvent): string | null {
  const place = (step: string) => `step ${steps.indexOf(step) + 1}/${steps.length} ${step}`
  switch (event.event) {
    case 'step_started':
      return event.attempt === 1
        ? `${place(event.step)}: ${event.skill?.reference ?? event.agent}`
        : `${place(event.step)}: retry ${event.attempt - 1}`
    case 'attempt_failed':
      return `${place(event.step)}: refused: ${event.reason}`
    case 'gate': {
      const found = event.passed
        ? 'passed'
        : event.on_fail === 'warn'
          ? 'warning'
          : `failed, ${event.on_fail}`
      return `${place(event.step)}: gate ${event.name} ${found}: ${event.detail}`
    }
    case 'verification':
      return `${place(event.step)}: ${event.detail}`
    case 'step_completed':
      return `${place(event.step)}: ${event.status}${event.reason === null ? '' : `: ${event.reason}`}`
    case 'worktree_kept':
      return `worktree kept at ${event.path}: ${event.reason}`
    case 'step_cut_off':
      return `${place(event.step)}: was cut off and begins again`
    case 'orphan_ended':
      return `${place(event.step)}: ended what the crash had left running (process ${event.pid})`
    case 'escalated':
      return `${place(event.step)}: escalated: ${event.reason}`
    case 'warning':
      return `warning: ${event.text}`
    default:
      return null
  }
}
