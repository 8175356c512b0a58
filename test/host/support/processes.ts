import { readdirSync, readFileSync } from 'node:fs'

/** A process that was started, directly or not, by another. */
export interface Descendant {
  pid: number
  command: string
}

/** Kills a process and all it started; the process must lead its group. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Gone already.
  }
}

/** The processes below `pid` that are running now. Linux only. */
export function descendantsOf(pid: number): Descendant[] {
  const all = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => processAt(name) ?? [])
  const below = (parent: number): Descendant[] =>
    all
      .filter(one => one.parent === parent)
      .flatMap(one => [{ pid: one.pid, command: one.command }, ...below(one.pid)])
  return below(pid)
}

function processAt(pid: string) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    return { pid: Number(pid), parent: Number(parent), command }
  } catch {
    return undefined
  }
}
