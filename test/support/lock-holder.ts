import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

const driver = resolve(import.meta.dirname, '../../node_modules/better-sqlite3')

/** Another process that has a lock. */
export interface LockHolder {
  /** Ends it as a crash does: what it left stays where it is. */
  kill(): Promise<void>
}

/** Starts a process that takes a lock by SQLite itself; resolves when it has it. */
export async function lockHolder(path: string): Promise<LockHolder> {
  const script = `
    const db = new (require(${JSON.stringify(driver)}))(${JSON.stringify(path)})
    db.exec('begin exclusive')
    process.stdin.resume()
    console.log('held')`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  await once(child.stdout, 'data')
  return {
    async kill() {
      child.kill('SIGKILL')
      await exit
    },
  }
}

/** A lock's file as a process leaves it that was killed while it had the lock. */
export async function killedWithLock(path: string): Promise<void> {
  await (await lockHolder(path)).kill()
}
