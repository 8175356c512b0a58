import { escapeLines, escapeText } from '../../hostile-text/escape-text.ts'
import type { RunSummary } from '../../runner/run/run-summary.ts'
import { layOutTable } from './table.ts'

const COLUMNS = [
  { name: 'step', type: 'text' },
  { name: 'result', type: 'text' },
  { name: 'attempts', type: 'number' },
  { name: 'agent', type: 'text' },
  { name: 'elapsed', type: 'text' },
  { name: 'reason', type: 'text' },
] as const

/**
 * The end of a run as the spec words it: a headline, the outputs, a table of the steps, the path of the audit log, the
 * warnings, and the model calls with what is left of the budget.
 */
export function chainSummary(summary: RunSummary, width: number | undefined): string {
  const { status, chain, runId, reason, warnings, budgetRemaining, modelCalls } = summary
  const rows = summary.steps.map(step => ({
    step: step.id,
    result: step.status,
    attempts: step.attempts,
    agent: step.agent === null ? '' : `${step.agent} (${step.family})`,
    elapsed:
      step.status === 'not run' || step.status === 'escalated'
        ? ''
        : `${(step.elapsedMs / 1000).toFixed(1)} s`,
    reason: step.reason ?? '',
  }))
  const table = layOutTable(COLUMNS, rows, { width })
  const budget = budgetRemaining === null ? 'no budget set' : `${budgetRemaining} left of the budget`
  const lines = [
    escapeText(`${status}: ${chain}${reason === null ? '' : ` (${reason})`}`),
    '',
    ...outputLines(summary.outputs),
    table.header(),
    ...rows.map(row => table.line(row)),
    '',
    `audit log    ${escapeText(summary.logPath)}`,
    `             last line ${summary.head}`,
    ...(warnings.length === 0 ? ['warnings     none'] : warnings.map(warningLine)),
    `model calls  ${modelCalls} made, ${budget}`,
  ]
  if (summary.escalated) {
    lines.push(
      `decide       coord chain resume ${runId} --decide ${summary.escalated.step}=retry|continue|halt`,
    )
  } else if (summary.isResumable) lines.push(`go on        coord chain resume ${runId}`)
  return `${lines.join('\n')}\n`
}

function warningLine(warning: string, index: number): string {
  return `${index === 0 ? 'warnings     ' : '             '}${escapeText(warning)}`
}

function outputLines(outputs: Record<string, unknown>): string[] {
  const entries = Object.entries(outputs)
  if (entries.length === 0) return []
  return [
    ...entries.flatMap(([name, value]) => {
      const text =
        value === null ? '(no output)' : typeof value === 'string' ? value : JSON.stringify(value, null, 2)
      return [`${escapeText(name)}:`, escapeLines(text).replace(/^/gm, '  ')]
    }),
    '',
  ]
}
