import { type JsonObject, objectOf, objectsOf, textOf } from '../transcripts/json-row.ts'
import { notice, pick, unresolved, type Verdict, verdict } from './verdict.ts'

/** The host's own text in the place of a reason. */
const CANNED = /^The user wants to clarify these questions\./

/**
 * The person's words beside a tool's result: a reason for a denial, a note on an approval, answers to questions. The
 * source of the decision tells a person's click or key from a setting. The result itself is no message.
 */
export function judgeToolResult(row: JsonObject, content: unknown): Verdict[] {
  if (row.isSidechain === true) return []
  const source = textOf(objectOf(row.permissionDecision)?.source)
  const isByPerson = source?.startsWith('user') ?? false
  const fields = pick(row, 'permissionDecision', 'userFeedback', 'holdsPersonsWords', 'toolDenialKind')
  return [
    ...denialReason(row, source, fields),
    ...notes(content, isByPerson, fields),
    ...answers(row, isByPerson, fields),
  ]
}

function denialReason(
  row: JsonObject,
  source: string | undefined,
  fields: Record<string, unknown>,
): Verdict[] {
  const reason = textOf(row.userFeedback)
  if (reason === undefined || reason === '') return []
  if (CANNED.test(reason)) return [notice(reason, 'canned_feedback', fields)]
  if (source?.startsWith('user')) return [verdict('person', 'high', 'denial_reason', reason, fields)]
  if (source === undefined && row.holdsPersonsWords === true)
    return [verdict('person', 'medium', 'denial_reason', reason, fields)]
  return [unresolved(reason, 'denial_reason', fields)]
}

/** Text blocks beside the result. The host writes its own there too. */
function notes(content: unknown, isByPerson: boolean, fields: Record<string, unknown>): Verdict[] {
  return objectsOf(content)
    .filter(block => block.type === 'text')
    .map(block => textOf(block.text) ?? '')
    .filter(text => text !== '')
    .map(text => {
      if (/^\[Request interrupted by user/.test(text)) return notice(text, 'interrupt', fields)
      if (/^<(system-reminder|task-notification)>/.test(text)) return notice(text, 'beside_result', fields)
      return isByPerson
        ? verdict('person', 'medium', 'approval_note', text, fields)
        : unresolved(text, 'beside_result', fields)
    })
}

/** Answers to questions of the model, and what the person wrote beside them. */
function answers(row: JsonObject, isByPerson: boolean, fields: Record<string, unknown>): Verdict[] {
  const result = objectOf(row.toolUseResult)
  const given = objectOf(result?.answers)
  const questions = objectsOf(result?.questions)
  if (!given || questions.length === 0) return []
  const found: Verdict[] = []
  for (const [question, value] of Object.entries(given)) {
    const labels = objectsOf(questions.find(one => one.question === question)?.options).map(one => one.label)
    for (const answer of typeof value === 'string' ? [value] : stringsOf(value)) {
      if (answer === '') continue
      const isChoice = isMadeOf(answer, labels)
      const evidence = { ...fields, question }
      if (!isByPerson) found.push(unresolved(answer, 'question_answer', evidence))
      else if (isChoice) found.push(verdict('person', 'medium', 'question_answer_choice', answer, evidence))
      else found.push(verdict('person', 'high', 'question_answer', answer, evidence))
    }
    const note = textOf(objectOf(objectOf(result?.annotations)?.[question])?.notes)
    if (note) {
      found.push(
        isByPerson
          ? verdict('person', 'medium', 'question_note', note, { ...fields, question })
          : unresolved(note, 'question_note', { ...fields, question }),
      )
    }
  }
  return found
}

/** Whether an answer is one of the labels, or several of them one after the other. */
function isMadeOf(answer: string, labels: unknown[]): boolean {
  if (labels.includes(answer)) return true
  const begins = labels.filter(
    label => typeof label === 'string' && answer.startsWith(`${label}, `),
  ) as string[]
  return begins.some(label =>
    isMadeOf(
      answer.slice(label.length + 2),
      labels.filter(other => other !== label),
    ),
  )
}

function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(one => typeof one === 'string') : []
}
