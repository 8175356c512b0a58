/** How long a step of the host may take before a test gives up; far below vitest's own limit, which names nothing. */
export const PATIENCE_MS = 90_000

const POLL_MS = 20

export interface Waiting {
  /** What is awaited, as the failure names it. */
  what: string
  timeoutMs?: number
  /** Told in the failure: what there was instead. */
  seen?: () => string
  /** Ends the wait at once: the reason why what is awaited cannot come any more. */
  hopeless?: () => string | undefined
}

/** Waits until `look` finds something (anything but undefined, null and false) and gives that back. */
export async function waitFor<Found>(
  look: () => Found | undefined | null | false | Promise<Found | undefined | null | false>,
  { what, timeoutMs = PATIENCE_MS, seen, hopeless }: Waiting,
): Promise<Found> {
  const deadline = performance.now() + timeoutMs
  const failed = (why: string) => new Error(`waited for ${what}: ${why}${seen ? `\n${seen()}` : ''}`)
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== null && found !== false) return found
    const reason = hopeless?.()
    if (reason !== undefined) throw failed(reason)
    if (performance.now() > deadline) throw failed(`not there after ${timeoutMs} ms`)
    await new Promise(resolve => setTimeout(resolve, POLL_MS))
  }
}
