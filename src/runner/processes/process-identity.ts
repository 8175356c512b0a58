import { readFileSync } from 'node:fs'

/**
 * What tells a process from a later one with the same id: when it began, in this boot. Null where the system does not
 * say; then nothing is done to a process of that id.
 */
export function processIdentity(pid: number): string | null {
  if (process.platform !== 'linux') return null
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name may hold blanks and brackets; the fields are counted from behind it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return fields[0] === 'Z' ? null : `${boot}:${fields[19]}`
  } catch {
    return null
  }
}

/** Ends what a run that crashed has left running, and all of its group; false where it is gone already. */
export function endOrphan(pid: number, identity: string | null): boolean {
  if (identity === null || processIdentity(pid) !== identity) return false
  try {
    process.kill(-pid, 'SIGKILL')
    return true
  } catch {
    return false
  }
}
