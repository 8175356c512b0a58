import type { Verdict } from '../extract/verdict.ts'
import { type JsonObject, objectOf } from '../transcripts/json-row.ts'
import { withDeliveries } from './delivery-notice.ts'
import { judgeAttachment } from './judge-attachment.ts'
import { judgeSystemRow } from './judge-system-row.ts'
import { judgeUserRow } from './judge-user-row.ts'

/**
 * Whose words a row holds, by its fields alone (docs/transcripts.md, Claude Code); a row may hold several messages, and
 * most hold none. What only the queue of prompts holds is judged apart (`judge-queued.ts`).
 *
 * @param isFromQueue the same text was put into the queue of prompts and taken out just before
 */
export function judge(row: JsonObject, isFromQueue: boolean): Verdict[] {
  switch (row.type) {
    case 'user':
      return judgeUserRow(row, isFromQueue).map(one => withDeliveries(row, one))
    case 'attachment':
      return listOf(judgeAttachment(row)).map(one => withDeliveries(objectOf(row.attachment) ?? {}, one))
    case 'system':
      return listOf(judgeSystemRow(row))
    default:
      return []
  }
}

function listOf(verdict: Verdict | null): Verdict[] {
  return verdict === null ? [] : [verdict]
}
