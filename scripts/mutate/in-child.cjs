// Loaded first in each Node program that a test starts under mutation (in-worker.mjs names it in NODE_OPTIONS).
const { appendFileSync } = require('node:fs')
const { join } = require('node:path')

/** Counted for a mutant whose number of hits is not known, since the program was killed: no limit of hits then. */
const UNKNOWN = 1_000_000
const { COORD_MUTATE_COVERAGE: folder, COORD_MUTATE_HIT_LIMIT: hitLimit } = process.env

const ns = {}
globalThis.__stryker__ = ns
if (hitLimit !== undefined) Object.assign(ns, { hitCount: 0, hitLimit: Number(hitLimit) })
if (folder !== undefined) {
  const file = join(folder, `${process.pid}-${process.hrtime.bigint()}`)
  const counts = {}
  // Each first hit is written at once, since tests kill programs; at a quiet end the numbers stand below.
  const writing = new Proxy(counts, {
    set(target, id, count) {
      if (!(id in target)) note(file, `${String(id)} ${UNKNOWN}\n`)
      target[id] = count
      return true
    },
  })
  ns.mutantCoverage = { static: writing, perTest: {} }
  process.on('exit', () => {
    const lines = Object.entries(counts).map(([id, count]) => `${id} ${count}\n`)
    if (lines.length > 0) note(file, lines.join(''))
  })
}

/** A program that may write nothing there (no space, no right) goes on: its own work is what the test looks at. */
function note(file, text) {
  try {
    appendFileSync(file, text)
  } catch {
    return
  }
}
