import { notice, saysNothing, started, unresolved, type Verdict, verdict } from '../extract/verdict.ts'
import { type JsonObject, pick, textOf } from '../transcripts/json-row.ts'
import { bashInput, isLocalOutput, slashCommand } from './row-text.ts'

/**
 * Whose words a row holds that says nothing of where it came from, as versions before 2.1 wrote them. Version 2.0
 * shows a program's prompt by the queue it went through and a typed one by its thinking metadata; version 1 shows
 * neither, and what it wrote stays unresolved.
 *
 * @param isFromQueue the same text was put into the queue of prompts and taken out just before
 */
export function judgeOldRow(row: JsonObject, text: string, isFromQueue: boolean): Verdict {
  const fields = pick(row, 'version', 'userType', 'thinkingMetadata', 'isMeta')
  if (row.isMeta === true) return notice(text, 'meta', fields)
  const isVersion1 = /^[01]\./.test(textOf(row.version) ?? '1.')
  const isUnmarked = row.thinkingMetadata === undefined && !isFromQueue
  if (isUnmarked && /^\[Request interrupted by user( for tool use)?\]$/.test(text))
    return { ...notice(text, 'interrupt', fields), confidence: 'medium' }
  if (isUnmarked && isLocalOutput(text))
    return { ...notice(text, 'local_output', fields), confidence: 'medium' }
  const evidence = { ...fields, fromQueue: isFromQueue }
  const typedForm = slashCommand(text) ?? bashInput(text)
  const words = typedForm ?? text
  const kind = typedForm === null ? null : typedForm === bashInput(text) ? 'bash_input' : 'slash_command'
  if (row.thinkingMetadata !== undefined)
    return started(verdict('person', 'medium', kind ?? 'typed_old', words, evidence))
  if (isVersion1)
    return started((kind === null ? saysNothing : unresolved)(words, kind ?? 'no_evidence', fields))
  if (isFromQueue) return started(verdict('launcher', 'medium', kind ?? 'sdk_old', words, evidence))
  // A program's prompt of these versions always stands in the queue first, so this one was typed at a terminal.
  if (kind !== null) return started(verdict('person', 'medium', kind, words, evidence))
  return started(saysNothing(text, 'no_evidence', evidence))
}
