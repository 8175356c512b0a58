import { notice, started, unresolved, type Verdict, verdict } from '../extract/verdict.ts'
import { type JsonObject, objectOf, pick, textOf } from '../transcripts/json-row.ts'
import { insideCoordinatorMessage, insideEnvelope, insidePluginMessage } from './row-text.ts'

/**
 * Whose words they are where the host names an origin that is no person's. `holder` is a user row or a queued command.
 * Undefined: the origin says nothing, or says human.
 */
export function judgeByOrigin(holder: JsonObject, text: string): Verdict | undefined {
  const origin = objectOf(holder.origin)
  const fields = pick(holder, 'origin', 'promptSource', 'turnOrigin', 'isMeta', 'pluginPrompt')
  switch (origin?.kind) {
    case 'peer':
      return started(peer(origin, text, fields))
    case 'task-notification':
      return started(notice(text, 'task_notification', fields))
    case 'plugin': {
      if (origin.asUser === true)
        return started({ ...unresolved(text, 'plugin_prompt_as_user', fields), confidence: 'medium' })
      const words = textOf(objectOf(holder.pluginPrompt)?.text) ?? insidePluginMessage(text)
      return started(verdict('launcher', 'medium', 'plugin_prompt', words, fields))
    }
    case 'coordinator':
      return started(
        verdict('launcher', 'high', 'coordinator_message', insideCoordinatorMessage(text), fields),
      )
    case 'unclassified':
      // A person's prompt is never both unclassified and marked as the host's.
      return holder.isMeta === true || holder.turnOrigin === 'host_synthetic'
        ? started(notice(text, 'host_text', fields))
        : undefined
    case 'auto-continuation':
    case 'observer':
    case 'observer-activity':
      return started(notice(text, 'host_text', fields))
    case 'channel':
    case 'slack-ping':
    case 'voice-call':
      // Somebody's words, by a way on which this disk does not say whose.
      return started(unresolved(text, 'came_by_channel', fields))
    default:
      return TURNS_OF_THE_HOST.has(holder.turnOrigin) && origin?.kind !== 'human'
        ? started(notice(text, 'host_text', fields))
        : undefined
  }
}

const TURNS_OF_THE_HOST: ReadonlySet<unknown> = new Set([
  'scheduled',
  'task_notification',
  'auto_continuation',
  'host_synthetic',
])

/** The words of a peer: the host keeps them apart from the envelope that the model reads. */
function peer(origin: JsonObject, text: string, fields: Record<string, unknown>): Verdict {
  const body = textOf(origin.body) ?? insideEnvelope(text)
  const isAgent = /(?:^|\n)<agent-message\b/.test(text) && origin.msg_id === undefined
  if (body === null || body === undefined)
    return { ...verdict('peer', 'medium', 'peer_idle', text, fields), startsTurn: true }
  return verdict('peer', 'high', isAgent ? 'agent_message' : 'peer_idle', body, fields)
}
