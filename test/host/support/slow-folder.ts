import { spawn, spawnSync } from 'node:child_process'
import { accessSync, constants, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { atEnd, endingFolder } from './endings.ts'
import { waitFor } from './wait-for.ts'

/** Debian's Python and its FUSE module, wherever the tests' own Python comes from. */
const PYTHON = '/usr/bin/python3'

/**
 * What every operation on the folder meets from now on. A disk that hangs answers when it is told to do something else,
 * or when the process that waits is killed, as a network disk does. A full one fails where room is needed, a read-only one
 * where something is changed, the others always: the folder is gone, or the disk that it was on.
 */
export type Disk = 'well' | `takes ${number}` | 'hangs' | 'ENOSPC' | 'EROFS' | 'ENOENT' | 'ENOTCONN'

/** A folder on a disk that does as the test says while sessions use it. */
export interface SlowFolder {
  /** The folder as sessions see it. Whoever looks into it meets the disk: tests look behind it. */
  readonly dir: string
  /** The same files, whatever the disk does. */
  readonly behind: string
  set(disk: Disk): void
  /** So many operations have met a disk that hangs, since it was told to the last time. */
  held(): number
  /** Waits until somebody has met the disk that hangs: until then nothing shows that anybody can do without it. */
  isHeld(): Promise<void>
}

/** Why there can be no such folder here, and what it takes; null where there can. */
export function whyNoSlowFolder(): string | null {
  if (process.platform !== 'linux') return 'folders on a disk that hangs are made with FUSE, on Linux alone'
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK)
  } catch {
    return 'this machine has no /dev/fuse for this user, by which a folder is made that hangs'
  }
  const tried = [
    spawnSync(PYTHON, ['-c', 'import fusepy'], { stdio: 'ignore' }),
    spawnSync('fusermount', ['--version'], { stdio: 'ignore' }),
  ]
  if (tried.every(({ status }) => status === 0)) return null
  return 'folders on a disk that hangs need FUSE for Python (Debian: apt-get install python3-fusepy fuse3)'
}

/** Makes such a folder, well at first. It is taken away when the test, or the file, ends. */
export async function slowFolder(): Promise<SlowFolder> {
  const place = endingFolder()
  const [behind, dir, control] = ['behind', 'disk', 'control'].map(name => join(place, name)) as Three
  mkdirSync(behind)
  mkdirSync(dir)
  const set = (disk: Disk) => {
    if (disk === 'hangs') held = 0
    // Whole at every moment: each operation reads it.
    writeFileSync(`${control}.new`, disk)
    renameSync(`${control}.new`, control)
  }
  let held = 0
  set('well')
  const script = join(import.meta.dirname, 'slow-folder.py')
  const fuse = spawn(PYTHON, [script, behind, dir, control], { stdio: ['pipe', 'pipe', 'pipe'] })
  let isReady = false
  let said = ''
  let code: number | string | undefined
  createInterface({ input: fuse.stdout }).on('line', line => {
    if (line === 'ready') isReady = true
    if (line === 'held') held += 1
  })
  fuse.stderr.on('data', chunk => {
    said += chunk
  })
  const ended = new Promise<void>(resolve => {
    fuse.on('error', error => {
      code = error.message
      resolve()
    })
    fuse.on('close', (exit, signal) => {
      code = exit ?? signal ?? 'unknown'
      resolve()
    })
  })
  const hopeless = () => (code === undefined ? undefined : `its process has ended: ${code}`)
  const wait = (look: () => boolean, what: string) => waitFor(look, { what, hopeless, seen: () => said })
  atEnd(async () => {
    // It takes the mount away, and whoever still waits is answered.
    fuse.stdin.end()
    await ended
  })
  await wait(() => isReady, 'a folder on a disk that hangs')
  return {
    dir,
    behind,
    set,
    held: () => held,
    isHeld: () => wait(() => held > 0, 'somebody to meet the disk that hangs').then(() => undefined),
  }
}

type Three = [string, string, string]
