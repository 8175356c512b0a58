import { notice, saysNothing, unresolved, type Verdict, verdict } from '../extract/verdict.ts'
import type { Queued } from './queued.ts'
import { insideEnvelope, promptWords } from './row-text.ts'

/** The forms of what the host puts into the queue itself. A queue row says nothing else of where its words came from. */
const HOST_FORMS =
  /^(?:<(?:agent-message|teammate-message|system-reminder|channel)\b|\[MESSAGE FROM NON-USER SOURCE)/

/**
 * Whose words they are that stand in the queue's rows alone. Version 2.0 and some of 2.1 show what was taken into a
 * running turn nowhere else.
 */
export function judgeQueuedAlone(queued: Queued): Verdict {
  const { version, state } = queued
  const fields = { queue: state, version }
  const inEnvelope = queued.words.startsWith('<cross-session-message ') ? insideEnvelope(queued.words) : null
  if (inEnvelope !== null) return unresolved(inEnvelope, 'queued_peer', fields)
  // Not every note of a task is shown to the model.
  if (queued.words.startsWith('<task-notification>'))
    return { ...notice(queued.words, 'task_notification', fields), confidence: 'medium' }
  const { words } = promptWords(queued.words)
  const isPersons = queued.isInteractive === true && !HOST_FORMS.test(words)
  if (state === 'taken_back' && isPersons)
    return verdict('person', 'medium', 'queued_taken_back', words, fields)
  const isAbsorbed = state === 'absorbed' || (state === 'removed' && /^2\.0\./.test(version))
  if (!isAbsorbed) return saysNothing(words, 'queued_not_delivered', fields)
  return isPersons
    ? verdict('person', 'medium', 'queued_mid_turn', words, fields)
    : unresolved(words, 'queued_mid_turn', fields)
}
