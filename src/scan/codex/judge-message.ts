import type { Found } from '../extract/found.ts'
import { type Part, shellCommand, textOfParts } from './item-text.ts'
import { authorOf, isChild, type Thread } from './thread.ts'

/** What a Codex item says about the words in it. */
export type CodexVerdict = Pick<Found, 'label' | 'confidence' | 'kind' | 'words' | 'fields'>

/** What began a turn, as the turn itself states; undefined where the version does not state it. */
export type TurnTrigger = string | null | undefined

/** Whose words a user's message holds whose parts are of stated kinds (0.171 and later): the turn's evidence decides, never the thread's maker. */
export function judgeParts(parts: Part[], thread: Thread, trigger: TurnTrigger): CodexVerdict {
  const kinds = parts.map(part => part.kind ?? 'unknown')
  const text = textOfParts(parts)
  const fields = {
    ...{ content_item_kinds: kinds, turn_trigger: trigger, source: thread.source },
    ...{ originator: thread.originator, parent_thread_id: thread.parent },
  }
  const typed = parts.filter(part => part.kind === 'user.text' || part.kind === 'user.image')
  if (typed.length > 0) return judgeTyped(textOfParts(typed), thread, trigger, fields)
  if (kinds.includes('shell.user_command')) return judgeShell(text, thread, fields)
  const isUnknown = kinds.every(kind => kind === 'unknown')
  if (isUnknown && !/^<user_action>/.test(text))
    return { label: 'unresolved', confidence: 'low', kind: 'no_evidence', words: text, fields }
  return { label: 'notice', confidence: 'high', kind: `injected:${kinds.join(',')}`, words: text, fields }
}

function judgeTyped(
  words: string,
  thread: Thread,
  trigger: TurnTrigger,
  fields: Record<string, unknown>,
): CodexVerdict {
  const kind = `turn_trigger:${trigger}`
  if (isChild(thread))
    return { label: 'launcher', confidence: 'high', kind: 'subagent_prompt_by_parent', words, fields }
  if (trigger === 'user') return { label: 'person', confidence: 'high', kind, words, fields }
  if (trigger === 'exec') return { label: 'launcher', confidence: 'high', kind, words, fields }
  if (trigger === 'queue') return { label: 'launcher', confidence: 'medium', kind, words, fields }
  return { label: 'unresolved', confidence: 'low', kind: 'no_evidence', words, fields }
}

function judgeShell(text: string, thread: Thread, fields: Record<string, unknown>): CodexVerdict {
  const command = shellCommand(text)
  const kind = 'bang_shell_command'
  if (command === null) return { label: 'unresolved', confidence: 'low', kind, words: text, fields }
  const label = isChild(thread) ? 'launcher' : 'person'
  return { label, confidence: 'medium', kind, words: command, fields }
}

/**
 * Whose words a user's message of an older version holds: real input has an equal `user_message` event beside it, and
 * the thread's maker is the only sign of its author.
 *
 * @param event the text of the event beside it; null where there is none
 */
export function judgeOldMessage(parts: Part[], thread: Thread, event: string | null): CodexVerdict {
  const text = textOfParts(parts)
  const fields = {
    ...{ originator: thread.originator, source: thread.source, cli_version: thread.version },
    userMessageEvent: event !== null,
  }
  if (event === null) {
    if (shellCommand(text) !== null && authorOf(thread) === 'person') return judgeShell(text, thread, fields)
    return { label: 'notice', confidence: 'medium', kind: 'injected', words: text, fields }
  }
  return { ...judgeAuthor(thread), words: event, fields }
}

/** The label of real input whose turn does not say who gave it. */
export function judgeAuthor(thread: Thread): Pick<CodexVerdict, 'label' | 'confidence' | 'kind'> {
  if (isChild(thread)) return { label: 'launcher', confidence: 'high', kind: 'subagent_prompt_by_parent' }
  switch (authorOf(thread)) {
    case 'person':
      return { label: 'person', confidence: 'high', kind: 'cli_user_message' }
    case 'launcher':
      return { label: 'launcher', confidence: 'high', kind: 'exec' }
    default:
      return { label: 'unresolved', confidence: 'low', kind: 'no_evidence' }
  }
}

/** Version 0.20 wrote the same rows for a typed prompt and for a program's. */
export function judgeBareMessage(parts: Part[]): CodexVerdict {
  const words = textOfParts(parts)
  const isInjected = /^<(environment_context|user_instructions)>/.test(words)
  return isInjected
    ? { label: 'notice', confidence: 'medium', kind: 'injected', words, fields: { record_type: 'bare' } }
    : {
        label: 'unresolved',
        confidence: 'low',
        kind: 'bare_old_rollout',
        words,
        fields: { record_type: 'bare' },
      }
}
