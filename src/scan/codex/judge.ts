import { notice, saysNothing, started, unresolved, type Verdict, verdict } from '../extract/verdict.ts'
import { type Part, shellCommand, textOfParts } from './item-text.ts'
import { authorOf, isChild, type Thread } from './thread.ts'

/** What began a turn, as the turn itself states; undefined where the version does not state it. */
export type TurnTrigger = string | null | undefined

/** Whose words a user's message holds whose parts are of stated kinds (0.171 and later): the turn's evidence decides, never the thread's maker. */
export function judgeParts(parts: Part[], thread: Thread, trigger: TurnTrigger): Verdict {
  const kinds = parts.map(part => part.kind ?? 'unknown')
  const text = textOfParts(parts)
  const fields = {
    ...{ content_item_kinds: kinds, turn_trigger: trigger, source: thread.source },
    ...{ originator: thread.originator, parent_thread_id: thread.parent },
  }
  const typed = parts.filter(part => part.kind === 'user.text' || part.kind === 'user.image')
  if (typed.length > 0) return handedOn(judgeTyped(textOfParts(typed), thread, trigger, fields), thread)
  if (kinds.includes('shell.user_command')) return handedOn(judgeShell(text, thread, fields), thread)
  const isUnknown = kinds.every(kind => kind === 'unknown')
  if (isUnknown && !/^<user_action>/.test(text)) return started(saysNothing(text, 'no_evidence', fields))
  return notice(text, `injected:${kinds.join(',')}`, fields)
}

/** A parent may have handed a person's words on to the thread that it started. */
function handedOn(one: Verdict, { parent }: Thread): Verdict {
  return one.label === 'launcher' && parent !== null ? { ...one, launchedBy: parent } : one
}

function judgeTyped(
  words: string,
  thread: Thread,
  trigger: TurnTrigger,
  fields: Record<string, unknown>,
): Verdict {
  const kind = `turn_trigger:${trigger}`
  if (isChild(thread)) return started(verdict('launcher', 'high', 'subagent_prompt_by_parent', words, fields))
  if (trigger === 'user') return started(verdict('person', 'high', kind, words, fields))
  if (trigger === 'exec') return started(verdict('launcher', 'high', kind, words, fields))
  if (trigger === 'queue') return started(verdict('launcher', 'medium', kind, words, fields))
  return started(saysNothing(words, 'no_evidence', fields))
}

/** The kind of a command that somebody gave the shell: no turn of the model's. */
export const SHELL_KIND = 'bang_shell_command'

function judgeShell(text: string, thread: Thread, fields: Record<string, unknown>): Verdict {
  const command = shellCommand(text)
  if (command === null) return started(unresolved(text, SHELL_KIND, fields))
  const label = isChild(thread) ? 'launcher' : 'person'
  return started(verdict(label, 'medium', SHELL_KIND, command, fields))
}

/**
 * Whose words a user's message of an older version holds: real input has an equal `user_message` event beside it, and
 * the thread's maker is the only sign of its author.
 *
 * @param event the text of the event beside it; null where there is none
 */
export function judgeOldMessage(parts: Part[], thread: Thread, event: string | null): Verdict {
  const text = textOfParts(parts)
  const fields = {
    ...{ originator: thread.originator, source: thread.source, cli_version: thread.version },
    userMessageEvent: event !== null,
  }
  if (event !== null) return judgeInput(event, thread, fields)
  if (shellCommand(text) !== null && authorOf(thread) === 'person') return judgeShell(text, thread, fields)
  return { ...notice(text, 'injected', fields), confidence: 'medium' }
}

/** Whose words real input is whose turn does not say who gave it. */
export function judgeInput(words: string, thread: Thread, fields: Record<string, unknown>): Verdict {
  if (isChild(thread)) return started(verdict('launcher', 'high', 'subagent_prompt_by_parent', words, fields))
  switch (authorOf(thread)) {
    case 'person':
      return started(verdict('person', 'high', 'cli_user_message', words, fields))
    case 'launcher':
      return started(verdict('launcher', 'high', 'exec', words, fields))
    default:
      return started(saysNothing(words, 'no_evidence', fields))
  }
}

/** Whose words the instructions for a review are that an event alone holds. */
export function judgeReviewInstructions(
  words: string,
  thread: Thread,
  fields: Record<string, unknown>,
): Verdict {
  const author = authorOf(thread)
  const kind = 'review_instructions_in_event'
  return started(
    author === null ? unresolved(words, kind, fields) : verdict(author, 'medium', kind, words, fields),
  )
}

/** Version 0.20 wrote the same rows for a typed prompt and for a program's. */
export function judgeBareMessage(parts: Part[]): Verdict {
  const words = textOfParts(parts)
  const fields = { record_type: 'bare' }
  const isInjected = /^<(environment_context|user_instructions)>/.test(words)
  return started(
    isInjected
      ? { ...notice(words, 'injected', fields), confidence: 'medium' }
      : saysNothing(words, 'bare_old_rollout', fields),
  )
}
