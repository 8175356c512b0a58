/** The host's ids of messages: `msgId(1)`. */
export function msgId(number: number): string {
  return `1cf7aafd-3d82-4c86-a327-${String(number).padStart(12, '0')}`
}

/** A notice in the host's words, which a transcript of 2.1.332 held. */
export function noticeOf(outcome: string, ids: string, rest = '.'): string {
  return `[Cross-session delivery notice] ${outcome} (recipient: uds:/run/cc-socks/11118.sock; msg_id: ${ids})${rest}`
}

export function heldNotice(id: string): string {
  return noticeOf(
    'Your message to another session was held by that session',
    id,
    '. NOT delivered: its Claude has not seen it. Do not report it as delivered, do not wait for a reply, and do not resend while held. Another notice follows on release, denial or expiry.',
  )
}

export function releasedNotice(id: string): string {
  return noticeOf('Your message to another session was approved and released to that session', id)
}

export function refusedNotice(id: string): string {
  return noticeOf(
    'Your message to another session was refused',
    id,
    ": that session is not accepting cross-session messages (the feature is off there, or a setting or policy there refuses them). Not delivered to that session's Claude. Do not wait for a reply and do not resend; tell the user, or choose another approach.",
  )
}
