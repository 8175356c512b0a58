import { started, unresolved, type Verdict, verdict } from '../extract/verdict.ts'
import { type JsonObject, objectOf, pick, textOf } from '../transcripts/json-row.ts'
import { promptWords, slashCommand } from './row-text.ts'

const BLOCKED = 'Original prompt: '

/** The person's words in a `system` row: a prompt that a hook blocked, a command that a plugin runs. Null: none. */
export function judgeSystemRow(row: JsonObject): Verdict | null {
  const content = textOf(row.content)
  if (content === undefined || row.isSidechain === true) return null
  const entrypoint = textOf(row.entrypoint)
  if (row.subtype === 'local_command') {
    const command = slashCommand(content)
    if (command === null) return null
    const kind = 'plugin_command_in_system_row'
    const fields = pick(row, 'subtype', 'entrypoint')
    if (/^sdk/.test(entrypoint ?? '')) return started(verdict('launcher', 'medium', kind, command, fields))
    return started(verdict('person', 'medium', kind, command, fields))
  }
  const ending = objectOf(objectOf(row.promptSubmitEnding)?.ending)
  if (ending?.kind !== 'blocked_by_hook') return null
  // The hook's own words stand before, and may hold anything.
  const reason = textOf(ending.reason) ?? ''
  const at = content.indexOf(BLOCKED, content.indexOf(reason) + reason.length)
  if (at === -1) return null
  const { words } = promptWords(content.slice(at + BLOCKED.length))
  const fields = pick(row, 'promptSubmitEnding', 'entrypoint')
  // Nobody says who sent it: it has the author of the session's other prompts.
  if (/^sdk-/.test(entrypoint ?? ''))
    return started(verdict('launcher', 'medium', 'blocked_prompt', words, fields))
  if (entrypoint === 'cli') return started(verdict('person', 'medium', 'blocked_prompt', words, fields))
  return started(unresolved(words, 'blocked_prompt', fields))
}
