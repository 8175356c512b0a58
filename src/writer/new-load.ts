/** A name for this load of a session, different at every call: eight hex digits of a random UUID. */
export function newLoad(): string {
  return globalThis.crypto.randomUUID().slice(0, 8)
}
