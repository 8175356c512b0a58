// Runs in each test process under mutation, after Stryker's own setup. It carries the active mutant on to the programs
// that a test starts, and brings back which mutants those reached: `dist/coord.js` is built from instrumented sources.
import childProcess from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeEach, inject } from 'vitest'

const ns = globalThis[inject('globalNamespace')]
const preload = JSON.stringify(join(import.meta.dirname, 'in-child.cjs'))
/** What each program that is started from now on gets to know. */
const variables = { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --require=${preload}`.trim() }

startWithVariables()
if (inject('mode') === 'mutant') activate()
else collectCoverage()

/** Before the test file is loaded, so that a mutant in what runs while a module loads is active too. */
function activate() {
  ns.hitCount = 0
  ns.activeMutant = inject('activeMutant')
  variables.__STRYKER_ACTIVE_MUTANT__ = ns.activeMutant
  if (ns.hitLimit !== undefined) variables.COORD_MUTATE_HIT_LIMIT = String(ns.hitLimit)
}

/**
 * What a program reached counts for the test that started it. What was reached while the file was loaded or in its
 * hooks counts for each test of the file: Stryker would run all tests of the room for such a mutant.
 */
function collectCoverage() {
  const folder = mkdtempSync(join(tmpdir(), 'coord-mutate-'))
  const folders = new Map()
  const startsFor = test => {
    if (!folders.has(test)) folders.set(test, join(folder, String(folders.size)))
    mkdirSync(folders.get(test), { recursive: true })
    variables.COORD_MUTATE_COVERAGE = folders.get(test)
  }
  startsFor('file')
  beforeEach(() => startsFor(ns.currentTestId))
  afterEach(() => startsFor('file'))
  afterAll(() => {
    ns.mutantCoverage ??= { static: {}, perTest: {} }
    const { static: ofFile, perTest } = ns.mutantCoverage
    for (const [test, reached] of folders)
      add(test === 'file' ? ofFile : ofTest(perTest, test), readReached(reached))
    for (const test of folders.keys()) if (test !== 'file') add(ofTest(perTest, test), ofFile)
    for (const id of Object.keys(ofFile)) delete ofFile[id]
    rmSync(folder, { recursive: true, force: true })
  })
}

function ofTest(perTest, test) {
  perTest[test] ??= {}
  return perTest[test]
}

/** Mutant ids with the number of hits, of all programs that wrote into a folder (in-child.cjs). */
function readReached(folder) {
  const sum = {}
  for (const name of readdirSync(folder)) {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1)
    const counts = Object.fromEntries(lines.map(line => line.split(' ')).map(([id, n]) => [id, Number(n)]))
    add(sum, counts)
  }
  return sum
}

function add(to, counts) {
  for (const [id, count] of Object.entries(counts)) to[id] = (to[id] ?? 0) + count
}

/** Tests give programs an environment of their own: the variables are added to each, whoever starts it. */
function startWithVariables() {
  for (const name of ['spawn', 'spawnSync', 'execFile', 'execFileSync', 'exec', 'execSync', 'fork']) {
    const start = childProcess[name]
    childProcess[name] = (command, ...rest) => start(command, ...withVariables(rest))
    const promised = start[promisify.custom]
    if (promised === undefined) continue
    childProcess[name][promisify.custom] = (command, ...rest) => promised(command, ...withVariables(rest))
  }
  syncBuiltinESMExports()
  const pty = createRequire(import.meta.url)('node-pty')
  const startAtTerminal = pty.spawn
  pty.spawn = (file, args, options) => startAtTerminal(file, ...withVariables([args, options ?? {}]))
}

/** What follows the command: arguments, options and a callback, each where there is one. */
function withVariables(rest) {
  const at = rest.findIndex(value => typeof value === 'object' && value !== null && !Array.isArray(value))
  const options = at < 0 ? {} : rest[at]
  const more = { ...options, env: { ...(options.env ?? process.env), ...variables } }
  return at < 0 ? rest.toSpliced(Array.isArray(rest[0]) ? 1 : 0, 0, more) : rest.with(at, more)
}
