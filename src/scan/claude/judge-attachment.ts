import { notice, unresolved, type Verdict, verdict } from '../extract/verdict.ts'
import { type JsonObject, objectOf, pick, textOf } from '../transcripts/json-row.ts'
import { judgeByOrigin } from './judge-origin.ts'
import { NOT_THE_PERSONS, typedToAgent } from './judge-user-row.ts'
import { contentText, promptWords } from './row-text.ts'

/**
 * Whose words an attachment row holds: what arrived while a turn ran stands there and in no user row. Null: an
 * attachment that is no message, such as a file or a hook's output.
 */
export function judgeAttachment(row: JsonObject): Verdict | null {
  const attachment = objectOf(row.attachment)
  if (attachment?.type === 'plugin_note') {
    const text = textOf(attachment.content) ?? textOf(attachment.heldContent)
    return text === undefined ? null : notice(text, 'plugin_note', pick(attachment, 'type', 'name'))
  }
  if (attachment?.type !== 'queued_command') return null
  const text = contentText(attachment.prompt)
  return { ...judgeQueued(row, attachment, text), startsTurn: false }
}

function judgeQueued(row: JsonObject, attachment: JsonObject, text: string): Verdict {
  const byOrigin = judgeByOrigin(attachment, text)
  if (byOrigin) return byOrigin.kind === 'peer_idle' ? { ...byOrigin, kind: 'peer_mid_turn' } : byOrigin
  const origin = objectOf(attachment.origin)
  const fields = {
    ...pick(attachment, 'origin', 'humanTurn', 'commandMode', 'isMeta', 'promptRewritten'),
    ...pick(row, 'entrypoint', 'isSidechain'),
  }
  const toAgent = attachment.promptRewritten === true ? undefined : typedToAgent(row, attachment, text)
  if (toAgent) return toAgent
  if (attachment.isMeta === true) return notice(text, 'host_text', fields)
  const saysNothing = attachment.commandMode === undefined && origin === undefined
  if (
    attachment.commandMode === 'task-notification' ||
    (saysNothing && text.startsWith('<task-notification>'))
  )
    return origin?.kind === 'human'
      ? unresolved(text, 'queued_mid_turn', fields)
      : notice(text, 'task_notification', fields)
  if (row.isSidechain === true) return unresolved(text, 'sidechain_text', fields)
  const kind = attachment.commandMode === 'bash' ? 'bash_input' : 'queued_mid_turn'
  const { words, isPasted } = promptWords(text)
  if (origin?.kind === 'human') {
    if (attachment.promptRewritten === true)
      return { ...unresolved(text, 'typed_rewritten', fields), confidence: 'high' }
    if (NOT_THE_PERSONS.some(name => attachment[name] === true))
      return unresolved(text, 'not_typed', { ...fields, ...pick(attachment, ...NOT_THE_PERSONS) })
    if (attachment.humanTurn === false) return unresolved(text, kind, fields)
    const isSure = attachment.humanTurn === true && kind !== 'bash_input' && !isPasted
    return verdict('person', isSure ? 'high' : 'medium', isPasted ? 'pasted' : kind, words, fields)
  }
  // Before rows had an origin, the terminal alone queued words in a session of its own.
  if (origin === undefined && row.entrypoint === 'cli')
    return verdict('person', 'medium', isPasted ? 'pasted' : kind, words, fields)
  if (origin === undefined && /^sdk-/.test(textOf(row.entrypoint) ?? ''))
    return verdict('launcher', 'medium', kind, text, fields)
  return unresolved(text, kind, fields)
}
