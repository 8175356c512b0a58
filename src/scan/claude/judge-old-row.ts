import { type JsonObject, textOf } from '../transcripts/json-row.ts'
import { bashInput, isLocalOutput, slashCommand } from './row-text.ts'
import { notice, pick, type SessionEvidence, started, unresolved, type Verdict, verdict } from './verdict.ts'

/**
 * Whose words a row holds that says nothing of where it came from, as versions before 2.1 wrote them. Version 2.0
 * shows a program's prompt by the queue it went through and a typed one by its thinking metadata; version 1 shows
 * neither, and what it wrote stays unresolved.
 */
export function judgeOldRow(row: JsonObject, text: string, session: SessionEvidence): Verdict {
  const fields = pick(row, 'version', 'userType', 'thinkingMetadata', 'isMeta')
  if (row.isMeta === true) return notice(text, 'meta', fields)
  const isVersion1 = /^[01]\./.test(textOf(row.version) ?? '1.')
  const saysNothing = row.thinkingMetadata === undefined && !session.isFromQueue
  if (saysNothing && /^\[Request interrupted by user( for tool use)?\]$/.test(text))
    return { ...notice(text, 'interrupt', fields), confidence: 'medium' }
  if (saysNothing && isLocalOutput(text))
    return { ...notice(text, 'local_output', fields), confidence: 'medium' }
  const evidence = { ...fields, fromQueue: session.isFromQueue }
  const typedForm = slashCommand(text) ?? bashInput(text)
  const words = typedForm ?? text
  const kind = typedForm === null ? null : typedForm === bashInput(text) ? 'bash_input' : 'slash_command'
  if (row.thinkingMetadata !== undefined)
    return started(verdict('person', 'medium', kind ?? 'typed_old', words, evidence))
  if (isVersion1) return started(unresolved(words, kind ?? 'no_evidence', fields))
  if (session.isFromQueue) return started(verdict('launcher', 'medium', kind ?? 'sdk_old', words, evidence))
  // A program's prompt of these versions always stands in the queue first, so this one was typed at a terminal.
  if (kind !== null) return started(verdict('person', 'medium', kind, words, evidence))
  return started(unresolved(text, 'no_evidence', evidence))
}
