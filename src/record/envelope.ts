/** The exact characters around a received text: `before + text + after` is the delivery as it arrived (ruling 10). */
export interface Envelope {
  before: string
  after: string
}

const OPENING = /^<cross-session-message [^>]*>\n/
const CLOSING = '\n</cross-session-message>'

/**
 * Takes a delivery from another session apart, by the host's grammar (docs/host.md, envelope): one LF after the
 * opening tag and one before the last closing tag belong to the envelope, everything between is the text as it
 * arrived; the host's backslash escapes in it are not undone. Null where the delivery has no such envelope.
 */
export function openEnvelope(delivery: string): { text: string; envelope: Envelope } | null {
  const before = OPENING.exec(delivery)?.[0]
  if (before === undefined || !delivery.endsWith(CLOSING)) return null
  const end = delivery.length - CLOSING.length
  // `<tag …>LF</tag>` has one LF for both sides and so no text between them.
  if (end < before.length) return null
  return { text: delivery.slice(before.length, end), envelope: { before, after: CLOSING } }
}
