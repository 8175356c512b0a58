/** A message that has left this session, as the send event and the host's answer to it show it. */
export interface Sending {
  to: string
  text: string
  at: string
  agentId: string | undefined
  result: { isDelivered: boolean; reason?: string | undefined }
  /** The session that held the address or name when it was sent. */
  peerSessionId: Promise<string | undefined>
}

/** The answer of a SendMessage call, which the host may give before the send event's hook has ended. */
export interface ToolAnswer {
  to: string
  text: string
  agentId: string | undefined
  result: unknown
}
