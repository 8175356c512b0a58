// npm run mutate -- ROOM… : which plausible faults of a room do its tests notice? docs/tests.md says how to read it.
import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import { chooseBySeed, keyOf, listMutants } from './list-mutants.mjs'
import { toldOf } from './report.mjs'
import { ROOMS, sourcesOf } from './rooms.mjs'

/** Results, incremental files and samples; ignored by git. */
const KEPT = '.mutation'
const WANTED_PERCENT = 90
const USAGE = `Usage: npm run mutate -- ROOM… [options]

  --sample N        only N mutants of the room, chosen by the seed; without it all, but only what has changed since
  --seed S          another choice (default 1)
  --file PATH       only mutants of this source file; may be given more than once
  --strings         also mutants of texts
  --concurrency N   test processes at a time (default 1)

Exit code 1 when fewer than ${WANTED_PERCENT} % are noticed. Rooms: ${Object.keys(ROOMS).join(', ')}`

/** The same for every room. A machine that other processes load too is slow, not wrong: the times are generous. */
const STRYKER = {
  plugins: ['@stryker-mutator/vitest-runner', './scripts/mutate/only-chosen.mjs'],
  testRunner: 'vitest',
  vitest: { configFile: 'scripts/mutate/vitest.config.mjs', related: false },
  coverageAnalysis: 'perTest',
  buildCommand: 'node scripts/build.mjs',
  // Nothing checks types there, and a line more would move every place in a source.
  disableTypeChecks: false,
  ignorePatterns: ['dist', 'coverage', '.host-types', '.sample', KEPT, 'bench', 'test/host'],
  tempDirName: '.stryker-tmp',
  cleanTempDir: 'always',
  reporters: ['progress-append-only'],
  logLevel: 'warn',
  warnings: { slow: false },
  timeoutMS: 30_000,
  timeoutFactor: 5,
  dryRunTimeoutMinutes: 30,
}

const { values: options, positionals: rooms } = readArguments()
let isEnough = true
for (const room of rooms) {
  try {
    const { text, percent } = await mutateRoom(room)
    console.log(text)
    isEnough &&= percent >= WANTED_PERCENT
  } catch (error) {
    // Most of all: tests that fail without any mutant. Stryker has named them.
    console.error(`${room}: not measured: ${error.message}`)
    isEnough = false
  }
}
process.exitCode = isEnough ? 0 : 1

function readArguments() {
  try {
    const read = parseArgs({
      allowPositionals: true,
      options: {
        sample: { type: 'string' },
        seed: { type: 'string', default: '1' },
        file: { type: 'string', multiple: true },
        strings: { type: 'boolean', default: false },
        concurrency: { type: 'string', default: '1' },
      },
    })
    const unknown = read.positionals.filter(room => !Object.hasOwn(ROOMS, room))
    if (unknown.length > 0) throw new Error(`No room is named ${unknown.join(', ')}.`)
    if (read.positionals.length === 0) throw new Error('No room is named.')
    for (const name of ['sample', 'concurrency'])
      if (!/^[1-9]\d*$/.test(read.values[name] ?? '1')) throw new Error(`--${name} takes a number from 1.`)
    return read
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`)
    process.exit(2)
  }
}

/** Runs one room; gives what is to be said and how many of a hundred mutants were noticed. */
async function mutateRoom(room) {
  const files = filesOf(room)
  const mutator = { excludedMutations: options.strings ? [] : ['StringLiteral'] }
  const all = await listMutants(files, mutator)
  const chosen = options.sample === undefined ? all : chooseBySeed(all, Number(options.sample), options.seed)
  mkdirSync(KEPT, { recursive: true })
  const name = options.strings ? `${room}.strings` : room
  process.env.COORD_MUTATE_ROOM = room
  process.env.COORD_MUTATE_CHOSEN = `${KEPT}/${name}.chosen.json`
  writeFileSync(process.env.COORD_MUTATE_CHOSEN, JSON.stringify(chosen))
  console.log(`${room}: ${chosen.length} of ${all.length} mutants in ${files.length} files`)
  const isWhole = options.sample === undefined
  const started = Date.now()
  const results = await new Stryker({
    ...STRYKER,
    mutate: files,
    mutator,
    concurrency: Number(options.concurrency),
    checkers: isWhole ? [] : ['only-chosen'],
    incremental: isWhole,
    incrementalFile: `${KEPT}/${name}.incremental.json`,
  }).runMutationTest()
  const keys = new Set(chosen)
  const told = toldOf(
    room,
    results.filter(result => keys.has(keyOf(inSources(result)))),
    { seconds: Math.round((Date.now() - started) / 1000), sample: options.sample, seed: options.seed },
  )
  writeFileSync(`${KEPT}/${name}.json`, `${JSON.stringify(told.result, null, 2)}\n`)
  return { text: told.text, percent: told.result.percent }
}

function filesOf(room) {
  const files = sourcesOf(room)
  const asked = options.file?.map(file => file.replace(/^\.\//, ''))
  const foreign = asked?.filter(file => !files.includes(file)) ?? []
  if (foreign.length === 0) return asked ?? files
  console.error(`Not in the room ${room}: ${foreign.join(', ')}.`)
  process.exit(2)
}

/** A result's places count from 1, those of mutants from 0. */
function inSources(result) {
  const place = ({ line, column }) => ({ line: line - 1, column: column - 1 })
  return { ...result, location: { start: place(result.location.start), end: place(result.location.end) } }
}
