import { digestText } from './text-digest.ts'

/** The one short message that joining sends to the parent (rule.joinTellsParent): names the lead's session id and its part. */
export function joinNotice(lead: { sessionId: string; part: string }): string {
  return `Session ${lead.sessionId} has joined your chain as a lead. Its part: ${lead.part}. It will report to you with ordinary messages; this notice needs no answer.`
}

/** Whether a message's text, or what metadata mode kept of it, is the join notice of this lead. */
export function isJoinNotice(
  message: { text?: string | undefined; textSha256?: string | undefined },
  lead: { sessionId: string; part: string },
): boolean {
  const notice = joinNotice(lead)
  return message.text === undefined
    ? message.textSha256 === digestText(notice).textSha256
    : message.text === notice
}
