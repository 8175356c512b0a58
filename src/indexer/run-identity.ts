import { statSync } from 'node:fs'

/** What tells one state of a run's audit log from another; null where there is no log. */
export function runIdentity(log: string): string | null {
  const stat = statSync(log, { throwIfNoEntry: false, bigint: true })
  return stat?.isFile() ? `${stat.ino}:${stat.size}:${stat.ctimeNs}` : null
}
