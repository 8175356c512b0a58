import type { Entry } from '../record/entry.ts'
import { sequenceOf } from '../record/file-name.ts'
import { entryWriter } from './entry-writer.ts'
import type { RecordStorage } from './storage.ts'

/** How recording goes, as far as is known now. */
export interface RecordingState {
  /** Entries that are not written yet. */
  waiting: number
  /** Entries of this load that never will be. */
  lost: number
  /** Why entries are not being written as they should; null while all is well. */
  degraded: string | null
}

/** What an entry is written with: as long as it waits, the queue holds on to it. */
export interface QueueHost {
  storage: RecordStorage
  /** Calls `act` once after so many milliseconds; what it returns calls that off. */
  after(ms: number, act: () => void): () => void
  /** Looks at the record's folder; how long that takes tells whether its disk answers again. */
  look(): Promise<unknown>
  /** The state is another one than before. */
  changed(state: RecordingState): void
}

/** One entry on its way into the record. */
export interface QueueItem {
  sessionId: string
  /** May still be in the making; one that cannot be made is lost. */
  entry: Entry | Promise<Entry>
  /** About how many characters it holds. */
  length: number
}

export interface EntryQueue {
  /**
   * Takes one entry and returns at once. The entry's number is given now, so that one that is never written leaves a gap
   * among the names (rule.recordingMayFail).
   *
   * @returns whether it has been written, once that is known; nothing that a message waits for may wait for it
   */
  put(item: QueueItem, host: QueueHost): Promise<boolean>
  /** Resolves once nothing waits. */
  drained(): Promise<void>
  state(): RecordingState
}

export interface EntryQueueOptions {
  /** Absolute path of the record's folder. */
  recordDir: string
  /** The part of the names that is unique to this load (`newLoad`). */
  load: string
  /** More than so many entries, or characters in them, do not wait: what comes then is lost, and counted. */
  mostWaiting?: number
  mostCharacters?: number
  /** After so long without an answer recording is degraded; the write goes on. */
  limitMs?: number
}

interface Waiting extends QueueItem {
  number: string
  host: QueueHost
  /** Entries of the session between the one before and this one that were lost. */
  missing: number
  done: (isWritten: boolean) => void
}

/** A disk that has been slow is looked at so often, and is so no more once the look takes less than the second. */
const LOOK_MS = 2_000
const QUICK_MS = 300

const MOST_WAITING = 1_000
const MOST_CHARACTERS = 32 * 1024 * 1024
const LIMIT_MS = 5_000

/**
 * The one way by which a load writes: entries one after the other, in the order in which they were put, beside whatever
 * goes on. A disk that does not answer holds up the queue and nothing else (rule.recordingMayFail).
 */
export function entryQueue(options: EntryQueueOptions): EntryQueue {
  const { recordDir, load, limitMs = LIMIT_MS } = options
  const { mostWaiting = MOST_WAITING, mostCharacters = MOST_CHARACTERS } = options
  const waiting: Waiting[] = []
  const numbers = new Map<string, () => string>()
  /** Lost entries of a session behind which nothing waits. */
  const missing = new Map<string, number>()
  let idle: (() => void)[] = []
  let isWriting = false
  let lost = 0
  let degraded: string | null = null
  let told = ''

  const state = (): RecordingState => ({ waiting: waiting.length, lost, degraded })

  function tell(host: QueueHost): void {
    const now = `${lost} ${degraded}`
    if (now === told) return
    told = now
    host.changed(state())
  }

  function nextNumber(sessionId: string): string {
    const next = numbers.get(sessionId) ?? sequenceOf(load)
    numbers.set(sessionId, next)
    return next()
  }

  /** Counts an entry that is lost: the session's next one says so. */
  function lose({ sessionId }: QueueItem, entries: number, next: Waiting | undefined): void {
    lost += 1
    if (next) next.missing += entries
    else missing.set(sessionId, (missing.get(sessionId) ?? 0) + entries)
  }

  function hasRoom(item: QueueItem): boolean {
    const characters = waiting.reduce((sum, one) => sum + one.length, item.length)
    return waiting.length === 0 || (waiting.length < mostWaiting && characters <= mostCharacters)
  }

  async function writeAll(): Promise<void> {
    isWriting = true
    for (let one = waiting[0]; one; one = waiting[0]) one.done(await write(one))
    isWriting = false
    for (const resolve of idle) resolve()
    idle = []
  }

  /** Writes the first that waits, and takes it out. */
  async function write(one: Waiting): Promise<boolean> {
    let isSlow = false
    const callOff = one.host.after(limitMs, () => {
      isSlow = true
      degraded = `the record has not taken an entry for ${limitMs / 1000} seconds`
      tell(one.host)
    })
    const result = await written(one)
    callOff()
    waiting.shift()
    if ('degraded' in result) {
      lose(
        one,
        one.missing + 1,
        waiting.find(({ sessionId }) => sessionId === one.sessionId),
      )
      degraded = result.degraded
    } else if (!isSlow) degraded = null
    else if (waiting.length === 0) lookAgain(one.host)
    tell(one.host)
    return 'file' in result
  }

  /** After a slow write nothing may come for a long time that would show a disk to be well again. */
  function lookAgain(host: QueueHost): void {
    host.after(LOOK_MS, async () => {
      if (isWriting || degraded === null) return
      let isQuick = true
      const callOff = host.after(QUICK_MS, () => {
        isQuick = false
      })
      await host.look().catch(() => {
        isQuick = false
      })
      callOff()
      if (isWriting || degraded === null) return
      if (!isQuick) return lookAgain(host)
      degraded = null
      tell(host)
    })
  }

  async function written(one: Waiting) {
    let entry: Entry
    try {
      entry = await one.entry
    } catch (error) {
      return { degraded: error instanceof Error ? error.message : String(error) }
    }
    const reserved = [one.number]
    const writer = entryWriter({
      recordDir,
      storage: one.host.storage,
      sequence: () => reserved.pop() ?? nextNumber(one.sessionId),
    })
    return writer.write(one.missing > 0 ? { ...entry, missing: one.missing } : entry)
  }

  return {
    put(item, host) {
      const { sessionId, entry } = item
      const number = nextNumber(sessionId)
      // Told when its turn comes, which is after it may have failed.
      if (entry instanceof Promise) entry.catch(() => {})
      if (!hasRoom(item)) {
        lose(item, 1, undefined)
        degraded ??= `${waiting.length} entries wait to be written already`
        tell(host)
        return Promise.resolve(false)
      }
      return new Promise(done => {
        waiting.push({ ...item, number, host, missing: missing.get(sessionId) ?? 0, done })
        missing.delete(sessionId)
        if (!isWriting) void writeAll()
      })
    },
    drained: () => (isWriting ? new Promise(resolve => idle.push(resolve)) : Promise.resolve()),
    state,
  }
}
