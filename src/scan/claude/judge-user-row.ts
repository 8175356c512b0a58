import { notice, saysNothing, started, unresolved, type Verdict, verdict } from '../extract/verdict.ts'
import { type JsonObject, objectOf, pick, textOf } from '../transcripts/json-row.ts'
import { judgeOldRow } from './judge-old-row.ts'
import { judgeByOrigin } from './judge-origin.ts'
import { judgeToolResult } from './judge-tool-result.ts'
import {
  bashInput,
  contentOf,
  contentText,
  insideUserMessage,
  isLocalOutput,
  promptWords,
  slashCommand,
  toolResults,
} from './row-text.ts'

/**
 * Whose words a `user` row holds, by its fields (docs/transcripts.md, Claude Code). The first rule that fits decides; a text
 * that only looks like the host's decides nothing where there are fields. One row may hold several messages; a plain
 * tool result holds none.
 *
 * @param isFromQueue the same text was put into the queue of prompts and taken out just before
 */
export function judgeUserRow(row: JsonObject, isFromQueue: boolean): Verdict[] {
  const content = contentOf(row)
  if (toolResults(content).length > 0) return judgeToolResult(row, content)
  if (typeof content !== 'string' && !Array.isArray(content)) return []
  const text = contentText(content)
  return [
    summary(row, text) ??
      sidechain(row, text) ??
      notTyped(row, text) ??
      judgeByOrigin(row, text) ??
      local(row, text) ??
      typed(row, text) ??
      (hasNoProvenance(row) ? judgeOldRow(row, text, isFromQueue) : saysNothing(text, 'no_evidence', {})),
    ...summaryContext(row),
  ]
}

/** A row as the versions wrote it that did not say yet where a prompt came from. */
function hasNoProvenance(row: JsonObject): boolean {
  return [row.origin, row.promptSource, row.turnOrigin, row.rowSource].every(field => field === undefined)
}

function summary(row: JsonObject, text: string): Verdict | undefined {
  if (row.isCompactSummary === true) {
    return notice(text, 'compact_summary', pick(row, 'isCompactSummary', 'isVisibleInTranscriptOnly'))
  }
  if (row.isVisibleInTranscriptOnly === true)
    return notice(text, 'shown_only', pick(row, 'isVisibleInTranscriptOnly'))
  return undefined
}

/** What the person wrote for the summary when they had the conversation summarized from a message on. */
function summaryContext(row: JsonObject): Verdict[] {
  const context = textOf(objectOf(row.summarizeMetadata)?.userContext)
  if (row.isCompactSummary !== true || row.isSidechain === true || context === undefined || context === '')
    return []
  const fields = pick(row, 'isCompactSummary', 'summarizeMetadata', 'entrypoint')
  return [
    row.entrypoint === 'cli'
      ? verdict('person', 'medium', 'summary_context', context, fields)
      : unresolved(context, 'summary_context', fields),
  ]
}

/** Rows of a subagent: its first prompt is its parent's, and no row of it is the person's. */
function sidechain(row: JsonObject, text: string): Verdict | undefined {
  if (row.isSidechain !== true) return undefined
  const fields = pick(row, 'isSidechain', 'parentUuid', 'agentId', 'rowSource')
  if (row.parentUuid === null) {
    // Version 2.0 started agents of its own accord with just this word.
    if (text === 'Warmup' && row.rowSource === undefined) return notice(text, 'warmup', fields)
    return {
      ...verdict('launcher', 'high', 'subagent_prompt_by_parent_model', text, fields),
      startsTurn: true,
    }
  }
  return (
    notTyped(row, text) ??
    judgeByOrigin(row, text) ??
    typedToAgent(row, row, text) ??
    (hasNoProvenance(row) && /^\[Request interrupted by user/.test(text)
      ? notice(text, 'interrupt', fields)
      : unresolved(text, 'sidechain_text', fields))
  )
}

/**
 * At a terminal, a person can also write to an agent: the host marks the row as its own and names whose words it holds.
 *
 * @param holder the user row or the queued command
 */
export function typedToAgent(row: JsonObject, holder: JsonObject, text: string): Verdict | undefined {
  const isHuman = objectOf(holder.origin)?.kind === 'human'
  if (row.isSidechain !== true || row.entrypoint !== 'cli' || holder.isMeta !== true || !isHuman)
    return undefined
  const fields = { ...pick(row, 'isSidechain', 'agentId', 'entrypoint'), ...pick(holder, 'origin', 'isMeta') }
  return verdict('person', 'medium', 'typed_to_agent', promptWords(insideUserMessage(text)).words, fields)
}

/** What the host, a hook or a clock put there. */
function notTyped(row: JsonObject, text: string): Verdict | undefined {
  if (row.wakeupSource !== undefined || row.scheduledTaskId !== undefined) {
    return {
      ...notice(text, 'scheduled_wakeup', pick(row, 'wakeupSource', 'scheduledTaskId')),
      startsTurn: true,
    }
  }
  if (row.rowSource === 'hook' || row.hookText === true)
    return notice(text, 'hook_feedback', pick(row, 'rowSource', 'hookText', 'isMeta'))
  if (row.rowSource === 'harness') {
    const kind = /^\[Request interrupted by user/.test(text) ? 'interrupt' : 'harness_text'
    return notice(text, row.isMeta === true ? 'meta' : kind, pick(row, 'rowSource', 'isMeta'))
  }
  return undefined
}

/** What was typed for the terminal and not for the model. */
function local(row: JsonObject, text: string): Verdict | undefined {
  if (row.isMeta === true) return notice(text, 'meta', pick(row, 'isMeta', 'rowSource', 'turnCompanion'))
  if (hasNoProvenance(row) || row.promptSource !== undefined) return undefined
  const fields = pick(row, 'rowSource', 'origin', 'turnOrigin', 'entrypoint')
  const isProgram = row.turnOrigin === 'sdk' || /^sdk/.test(textOf(row.entrypoint) ?? '')
  const command = slashCommand(text)
  if (command !== null) {
    if (isProgram) return started(verdict('launcher', 'high', 'slash_command', command, fields))
    const isHuman = objectOf(row.origin)?.kind === 'human'
    return started(verdict('person', isHuman ? 'high' : 'medium', 'slash_command', command, fields))
  }
  if (row.rowSource !== 'local') return undefined
  if (isLocalOutput(text)) return notice(text, 'local_output', fields)
  const input = bashInput(text)
  if (input === null) return undefined
  return started(
    isProgram
      ? verdict('launcher', 'medium', 'bash_input', input, fields)
      : verdict('person', 'medium', 'bash_input', input, fields),
  )
}

/** Fields that take a row away from the person although its origin says human. */
export const NOT_THE_PERSONS = ['textNotTyped', 'handedOff', 'queueTranscriptOnly', 'isVirtual'] as const

function typed(row: JsonObject, text: string): Verdict | undefined {
  const fields = pick(
    row,
    'origin',
    'promptSource',
    'turnOrigin',
    'entrypoint',
    'sessionKind',
    'promptRewritten',
  )
  const source = textOf(row.promptSource)
  const isHuman = objectOf(row.origin)?.kind === 'human'
  if (isHuman && NOT_THE_PERSONS.some(name => row[name] === true))
    return started(unresolved(text, 'not_typed', { ...fields, ...pick(row, ...NOT_THE_PERSONS) }))
  if (isHuman && row.promptRewritten === true)
    return started({ ...unresolved(text, 'typed_rewritten', fields), confidence: 'high' })
  if (source === 'sdk' || row.turnOrigin === 'sdk') {
    if (isHuman) return started(unresolved(text, 'sdk_claims_human', fields))
    return started(
      /^sdk-/.test(textOf(row.entrypoint) ?? '')
        ? verdict('launcher', 'high', 'sdk_prompt', text, fields)
        : unresolved(text, 'sdk_prompt_app_entrypoint', fields),
    )
  }
  if (!isHuman) return undefined
  if (row.turnOrigin !== undefined && row.turnOrigin !== 'human') return undefined
  if (row.sessionKind === 'bg') return started(unresolved(text, 'bg_launch_prompt_looks_typed', fields))
  if (source === 'typed' || source === 'queued' || source === 'suggestion_accepted') {
    const { words, isPasted } = promptWords(text)
    return started(
      isPasted
        ? verdict('person', 'medium', 'pasted', words, fields)
        : verdict('person', 'high', source, words, fields),
    )
  }
  return undefined
}
