/**
 * The form of a full session id: letters, digits, `-` and `_`, beginning with a letter or digit, at most
 * 128 characters. Claude Code and Codex use UUIDs, Remote Control `session_…`; none needs more. The form
 * leaves no room for a path (`../../etc/x`), since an id is also a folder's name (entryFile in docs/rules.md).
 */
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/

/** Whether `value` has the form of a full session id. */
export function isSessionId(value: string): boolean {
  return SESSION_ID.test(value)
}
