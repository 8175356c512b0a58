import { notice, unresolved, type Verdict, verdict } from '../extract/verdict.ts'
import type { Confidence } from '../message.ts'
import { type JsonObject, objectOf, objectsOf, pick, textOf } from '../transcripts/json-row.ts'
import { contentText, toolResults } from './row-text.ts'

/** The host's own text in the place of a reason. */
const CANNED = /^The user wants to clarify these questions\./

/**
 * The person's words beside a tool's result: a reason for a denial, a note on an approval, answers to questions, also
 * where an agent of the session asked. The source of the decision tells a click or a key from a setting; in a session
 * without a terminal a program clicks, on its own or for a person. The result itself is no message.
 */
export function judgeToolResult(row: JsonObject, content: unknown): Verdict[] {
  const source = textOf(objectOf(row.permissionDecision)?.source)
  const isAtTerminal = row.entrypoint === undefined || row.entrypoint === 'cli'
  const isByPerson = isAtTerminal && (source?.startsWith('user') ?? false)
  if (row.isSidechain === true && !isByPerson) return []
  const fields = pick(
    row,
    ...['permissionDecision', 'userFeedback', 'holdsPersonsWords', 'toolDenialKind', 'entrypoint'],
  )
  return [
    ...plainDenial(row, content, fields),
    ...denialReason(row, content, isByPerson, fields),
    ...notes(content, isByPerson, fields),
    ...answers(row, isByPerson, fields),
  ]
}

/** A denial without a word is an act, told as the host words it to the model; the turn ends with it. */
function plainDenial(row: JsonObject, content: unknown, fields: Record<string, unknown>): Verdict[] {
  if (row.toolUseResult !== 'User rejected tool use' || row.userFeedback !== undefined) return []
  return toolResults(content)
    .map(block => contentText(block.content))
    .filter(text => /STOP what you are doing/.test(text))
    .map(text => notice(text, 'denial_without_words', { ...fields, toolUseResult: row.toolUseResult }))
}

function denialReason(
  row: JsonObject,
  content: unknown,
  isByPerson: boolean,
  fields: Record<string, unknown>,
): Verdict[] {
  const reason = textOf(row.userFeedback)
  if (reason === undefined || reason === '') {
    if (row.holdsPersonsWords !== true) return []
    // A program's words in the place of the result, which it may have taken from a person.
    return toolResults(content)
      .map(block => contentText(block.content))
      .filter(text => text !== '')
      .map(text => unresolved(text, 'denial_reason', fields))
  }
  if (CANNED.test(reason)) return [notice(reason, 'canned_feedback', fields)]
  if (isByPerson) return [verdict('person', 'high', 'denial_reason', reason, fields)]
  if (
    fields.permissionDecision === undefined &&
    row.holdsPersonsWords === true &&
    row.entrypoint === undefined
  )
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
  const add = (confidence: Confidence, kind: string, words: string, evidence: Record<string, unknown>) =>
    found.push(
      isByPerson
        ? verdict('person', confidence, kind, words, evidence)
        : unresolved(words, kind.replace('_choice', ''), evidence),
    )
  for (const [question, value] of Object.entries(given)) {
    const asked = questions.find(one => one.question === question)
    const labels = objectsOf(asked?.options).flatMap(one => textOf(one.label) ?? [])
    const evidence = { ...fields, question }
    const note = textOf(objectOf(objectOf(result?.annotations)?.[question])?.notes)
    for (const answer of typeof value === 'string' ? [value] : stringsOf(value)) {
      if (answer === '') continue
      if (answer === NOTES_ONLY && note) {
        found.push(notice(answer, 'canned_answer', evidence))
        continue
      }
      const { chosen, typed } = partsOfAnswer(answer, labels, asked?.multiSelect === true)
      if (chosen !== null) add('medium', 'question_answer_choice', chosen, evidence)
      if (typed !== null && typed !== '') add('high', 'question_answer', typed, evidence)
    }
    if (note) add('medium', 'question_note', note, evidence)
  }
  const response = textOf(result?.response)
  if (response) add('high', 'question_answer', response, fields)
  return found
}

/** What the host writes for an answer where the person left a note and chose nothing. */
const NOTES_ONLY = '(notes only)'

/**
 * What of an answer was chosen and what was typed. Several answers stand in one string, the typed one last; the host
 * puts one that holds a comma or a quote into JSON quotes.
 */
function partsOfAnswer(
  answer: string,
  labels: string[],
  isMultiple: boolean,
): { chosen: string | null; typed: string | null } {
  const forms = labels.flatMap(label => [label, JSON.stringify(label)]).sort((a, b) => b.length - a.length)
  if (isMadeOf(answer, forms)) return { chosen: answer, typed: null }
  let end = 0
  // Each can be chosen once: what stands there again was typed.
  const left = new Set(forms)
  for (let start = 0; ; start = end + SEPARATOR.length) {
    const next = [...left].find(
      one =>
        answer.startsWith(one, start) &&
        (answer.length === start + one.length || answer.startsWith(SEPARATOR, start + one.length)),
    )
    if (next === undefined) break
    left.delete(next)
    end = start + next.length
  }
  if (!isMultiple) return { chosen: null, typed: answer }
  const typed = end === 0 ? answer : answer.slice(end + SEPARATOR.length)
  return { chosen: end === 0 ? null : answer.slice(0, end), typed: unquoted(typed) }
}

const SEPARATOR = ', '

/** Whether an answer is one of the forms, or several of them one after the other. */
function isMadeOf(answer: string, forms: string[]): boolean {
  if (forms.includes(answer)) return true
  const begins = forms.filter(form => answer.startsWith(form + SEPARATOR))
  return begins.some(form =>
    isMadeOf(
      answer.slice(form.length + SEPARATOR.length),
      forms.filter(other => other !== form),
    ),
  )
}

function unquoted(text: string): string {
  try {
    const value: unknown = text.startsWith('"') ? JSON.parse(text) : text
    return typeof value === 'string' ? value : text
  } catch {
    return text
  }
}

function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(one => typeof one === 'string') : []
}
