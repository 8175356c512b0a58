import { hash } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { Problem } from '../../problem/problem.ts'
import type { Finding } from '../extract/extract.ts'
import { readAt } from '../extract/extract-file.ts'
import type { Found } from '../extract/found.ts'
import type { Trace } from '../message.ts'
import type { Item, Spot } from './item.ts'

/** Reads what was left in the extracts: words, fields, traces. */
export interface SpotReader {
  found(item: Item): Found
  trace(item: Item): Trace | null
  close(): void
}

const OPEN_FILES = 64

/** Another scan with the same cache read a changed transcript anew: nothing is told that may be another message's. */
function changed(cause?: unknown): Problem {
  return new Problem('environment', 'what this scan keeps was changed by another one meanwhile', {
    ...{ cause, hint: 'run it again' },
  })
}

export function spotReader(): SpotReader {
  const open = new Map<string, number>()
  const fdOf = (path: string) => {
    const known = open.get(path)
    if (known !== undefined) return known
    const [oldest] = open
    if (oldest && open.size >= OPEN_FILES) {
      closeSync(oldest[1])
      open.delete(oldest[0])
    }
    const fd = openSync(path, 'r')
    open.set(path, fd)
    return fd
  }
  const read = ({ extract, position, length }: Spot, seq: number): Finding => {
    try {
      const text = readAt(fdOf(extract.path), position, length).toString('utf8')
      const finding = JSON.parse(text) as Finding
      if ('seq' in finding && finding.seq === seq) return finding
    } catch (cause) {
      throw changed(cause)
    }
    throw changed()
  }
  return {
    found(item) {
      if (item.spot === null) return item.provisional as Found
      const found = read(item.spot, item.seq) as Finding & { is: 'message' }
      if (hash('sha256', found.words) !== item.sha256) throw changed()
      return found
    },
    trace(item) {
      if (item.trace === null) return null
      const trace =
        'provisional' in item.trace
          ? item.trace.provisional
          : (read(item.trace, item.seq) as Finding & { is: 'trace' }).trace
      return item.isAbandoned ? { ...trace, end: 'abandoned' } : trace
    },
    close() {
      for (const fd of open.values()) closeSync(fd)
      open.clear()
    },
  }
}
