import { type FSWatcher, watch } from 'chokidar'
import type { IndexerReport } from './indexer-report.ts'
import type { Place } from './place.ts'
import { refreshIndex } from './refresh-index.ts'
import type { Refreshed } from './refreshed.ts'

export interface WatchOptions {
  report: Partial<IndexerReport>
  /** After every refresh that wrote something, and after the first. */
  onRefresh: (refreshed: Refreshed) => void
  /** A later refresh that failed; the next one tries again. */
  onFailure: (error: unknown) => void
  /** Ends the watch. */
  signal: AbortSignal
  /** How often every file is looked at, also where no folder has changed; a quarter of an hour unless given. */
  reconcileMs?: number
}

/** Events come in crowds; a refresh waits this long for the rest of one. */
const SETTLE_MS = 40
/** How often the folders are looked at though no event has come: events can be lost, and some file systems send none. */
const LOOK_MS = 2_000
/** The same where nothing sends events at all. */
const POLL_MS = 500
const RECONCILE_MS = 15 * 60_000

/**
 * Keeps the index up to date until the signal comes. Events of the file system are hints that something may have
 * changed; what has changed is always found by listing, so a lost event costs at most two seconds and loses nothing.
 * Where folders cannot be watched, it says so once and looks at them twice a second. Rejects where the first refresh
 * fails.
 */
export async function watchRecord(place: Place, options: WatchOptions): Promise<void> {
  const { signal, report } = options
  const hints = hintsOf(place.recordDir, text => report.note?.(text))
  signal.addEventListener('abort', hints.wake)
  let reconciledAt = Date.now()
  let isFirst = true
  try {
    while (!signal.aborted) {
      const isReconcile = Date.now() - reconciledAt > (options.reconcileMs ?? RECONCILE_MS)
      try {
        const refreshed = await refreshIndex(place, { report, thorough: isReconcile })
        if (isReconcile) reconciledAt = Date.now()
        if (isFirst || refreshed.work.rowsWritten > 0) options.onRefresh(refreshed)
        isFirst = false
      } catch (error) {
        // What fails at once is for the person to mend; what fails later may mend itself, as a disk that comes back.
        if (isFirst) throw error
        options.onFailure(error)
      }
      await hints.next()
    }
  } finally {
    signal.removeEventListener('abort', hints.wake)
    await hints.close()
  }
}

interface Hints {
  /** Resolves when something may have changed, or when it is time to look. */
  next(): Promise<void>
  wake: () => void
  close(): Promise<void>
}

function hintsOf(recordDir: string, note: (text: string) => void): Hints {
  let isHinted = false
  let isPolling = false
  let resolveNext: (() => void) | null = null
  const wake = () => {
    isHinted = true
    resolveNext?.()
  }
  // Only folders are watched, one watch each: to hold every file of a large record would cost far more than listing it.
  const isInsideFolder = (path: string) => /[\\/].*[\\/]/.test(path.slice(recordDir.length))
  const watcher: FSWatcher = watch(recordDir, {
    depth: 1,
    ignoreInitial: true,
    followSymlinks: false,
    ignored: isInsideFolder,
  })
  watcher.on('raw', wake).on('all', wake)
  watcher.on('error', error => {
    if (isPolling) return
    isPolling = true
    note(
      `folders cannot be watched (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}); they are looked at twice a second instead`,
    )
    void watcher.close()
    wake()
  })
  return {
    async next() {
      if (!isHinted) {
        await new Promise<void>(resolve => {
          const timer = setTimeout(resolve, isPolling ? POLL_MS : LOOK_MS)
          resolveNext = () => {
            clearTimeout(timer)
            setTimeout(resolve, SETTLE_MS)
          }
        })
      }
      resolveNext = null
      isHinted = false
    },
    wake,
    close: () => watcher.close(),
  }
}
