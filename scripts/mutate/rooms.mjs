// Which sources a room holds, and which tests look at it. The docs/tests.md lists the rooms in this order.
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

/**
 * `sources` are files and folders; where two hold a file, the longer path decides. The tests of a room are those under
 * the folder of `test` that mirrors its sources, and `tests`: the others that reach it. Those of test/host take minutes
 * each and stay out.
 */
export const ROOMS = {
  record: { sources: ['src/record'] },
  writer: { sources: ['src/writer'] },
  chain: {
    sources: ['src/chain'],
    tests: ['test/indexer/projections.test.ts'],
  },
  'hostile-text': {
    sources: ['src/hostile-text'],
    tests: ['test/cli-output/escape-text.test.ts', 'test/cli-output/table.test.ts'],
  },
  files: { sources: ['src/files'] },
  problem: {
    sources: ['src/problem'],
    tests: ['test/query/run-query.test.ts', 'test/query/filter-errors.test.ts'],
  },
  'known-results': { sources: ['src/known-results'], tests: ['test/index/results.test.ts'] },
  importer: {
    sources: ['src/importer'],
    tests: ['test/cli/import.test.ts', 'test/cli/import-faults.test.ts'],
  },
  sample: { sources: ['src/sample'], tests: ['test/cli/verify-doctor-sample.test.ts'] },
  database: {
    sources: ['src/database', 'src/sqlite', 'migrations'],
    tests: [
      ...['any-text', 'damaged', 'names', 'other-machine', 'results'].map(
        name => `test/index/${name}.test.ts`,
      ),
      'test/query/run-query.test.ts',
      'test/query/scan-relations.test.ts',
      'test/cases/case-03.test.ts',
    ],
  },
  lock: { sources: ['src/lock'], tests: [runnerTest('resume')] },
  indexer: {
    sources: ['src/indexer'],
    tests: [
      // Not `killed` and `equivalence`: minutes each, for every mutant that survives.
      ...['any-text', 'crash-image', 'damaged', 'names', 'other-machine', 'results', 'verify-finds'].map(
        name => `test/index/${name}.test.ts`,
      ),
      'test/cases/case-04.test.ts',
      'test/cases/case-09.test.ts',
      'test/cli/watch.test.ts',
    ],
  },
  filter: {
    sources: ['src/query/filter'],
    tests: [
      ...['answers', 'any', 'bounds', 'errors', 'match', 'time-value', 'times', 'tokens'].map(
        name => `test/query/filter-${name}.test.ts`,
      ),
      'test/query/run-query.test.ts',
    ],
  },
  query: {
    sources: ['src/query'],
    tests: [
      ...['attribute', 'chain-relations', 'query-columns', 'query-filter', 'record-folder'].map(
        name => `test/cli/${name}.test.ts`,
      ),
      'test/index/results.test.ts',
    ],
  },
  attribution: {
    sources: ['src/query/attribution'],
    tests: ['test/cli/attribute.test.ts', 'test/cli/attribute-scans.test.ts'],
  },
  'scan-transcripts': {
    sources: ['src/scan/transcripts'],
    tests: [
      ...['sources', 'growth', 'hostile'].map(name => `test/scan/${name}.test.ts`),
      'test/cases/case-15.test.ts',
      'test/cases/case-19.test.ts',
    ],
  },
  'scan-claude': {
    sources: ['src/scan/claude'],
    tests: [
      ...['claude-table', 'corpus', 'traces', 'words', 'hostile'].map(name => `test/scan/${name}.test.ts`),
      ...['16', '17', '18'].map(number => `test/cases/case-${number}.test.ts`),
    ],
  },
  'scan-codex': {
    sources: ['src/scan/codex'],
    tests: [
      ...['codex-table', 'corpus', 'traces', 'hostile'].map(name => `test/scan/${name}.test.ts`),
      'test/cases/case-19.test.ts',
    ],
  },
  'scan-extract': {
    sources: ['src/scan/extract'],
    tests: [
      ...['growth', 'hostile', 'traces', 'sources'].map(name => `test/scan/${name}.test.ts`),
      'test/cases/case-18.test.ts',
    ],
  },
  'scan-merge': {
    sources: ['src/scan/merge'],
    tests: [
      ...['record-join', 'traces', 'corpus', 'growth'].map(name => `test/scan/${name}.test.ts`),
      'test/cases/case-17.test.ts',
      'test/cases/case-18.test.ts',
    ],
  },
  'scan-result': { sources: ['src/scan/result'], tests: ['test/scan/check/check-result.test.ts'] },
  'scan-check': { sources: ['src/scan/check'] },
  'scan-compare': { sources: ['src/scan/compare'] },
  scan: { sources: ['src/scan'], tests: ['test/cli/scan.test.ts'] },
  'runner-spec': {
    sources: ['src/runner/spec'],
    tests: ['spec-fields', 'places', 'bounded', 'anti-patterns', 'ready-chains'].map(runnerTest),
  },
  'runner-template': {
    sources: ['src/runner/template'],
    tests: ['spec-fields', 'steps', 'bounded', 'anti-patterns'].map(runnerTest),
  },
  'runner-inputs': { sources: ['src/runner/inputs'], tests: ['places', 'steps', 'resume'].map(runnerTest) },
  'runner-plan': { sources: ['src/runner/plan'], tests: ['planner', 'steps', 'cross-check'].map(runnerTest) },
  'runner-log': {
    sources: ['src/runner/log'],
    tests: ['audit-log', 'synced-lines', 'resume', 'bounded'].map(runnerTest),
  },
  'runner-agents': {
    sources: ['src/runner/agents'],
    tests: ['cross-check', 'places', 'steps', 'bounded'].map(runnerTest),
  },
  'runner-processes': {
    sources: ['src/runner/processes'],
    tests: ['bounded', 'gates'].map(runnerTest),
  },
  'runner-answer': {
    sources: ['src/runner/answer'],
    tests: ['steps', 'cross-check', 'bounded'].map(runnerTest),
  },
  'runner-gates': { sources: ['src/runner/gates'], tests: ['gates', 'bounded'].map(runnerTest) },
  'runner-isolation': { sources: ['src/runner/isolation'], tests: [runnerTest('worktree')] },
  'runner-graph': { sources: ['src/runner/graph'], tests: ['test/cli/chain.test.ts'] },
  'runner-run': {
    sources: ['src/runner/run'],
    tests: ['steps', 'resume', 'cross-check', 'gates', 'worktree', 'places'].map(runnerTest),
  },
  plugin: {
    sources: ['src/plugin'],
    // The mod runs inside the host, and most of its tests with it (test/host).
    tests: ['test/cli/plugin-command.test.ts'],
  },
  doctor: {
    sources: ['src/doctor'],
    tests: ['test/cli/verify-doctor-sample.test.ts', 'test/cases/case-03.test.ts'],
  },
  output: {
    sources: ['src/cli/output'],
    tests: ['test/cli-output', 'test/cases/case-08.test.ts', runnerTest('steps')],
  },
  cli: { sources: ['src/cli'] },
}

function runnerTest(name) {
  return `test/runner/${name}.test.ts`
}

/** The rooms whose `sources` decide on a file: one, unless the map is wrong. */
export function roomsOf(file) {
  const entries = Object.entries(ROOMS).flatMap(([room, { sources }]) =>
    sources.filter(source => holds(source, file)).map(source => ({ room, length: source.length })),
  )
  const longest = Math.max(...entries.map(({ length }) => length))
  return entries.filter(({ length }) => length === longest).map(({ room }) => room)
}

/** Every source file that belongs to a room: those of src and of migrations. */
export function allSources() {
  return ['src', 'migrations'].flatMap(folder => filesUnder(folder, '.ts'))
}

export function sourcesOf(room) {
  return allSources().filter(file => roomsOf(file)[0] === room)
}

/** The test files of a room, those that are named only among them; sorted. */
export function testsOf(room) {
  const { sources, tests = [] } = ROOMS[room]
  const all = filesUnder('test', '.test.ts').filter(file => !holds('test/host', file))
  const mirrored = all.filter(file => {
    const source = file.replace(/^test\//, 'src/')
    return sources.some(entry => holds(entry, source)) && roomsOf(source).includes(room)
  })
  return [...new Set([...mirrored, ...all.filter(file => tests.some(test => holds(test, file)))])].sort()
}

function holds(entry, file) {
  return file === entry || file.startsWith(`${entry}/`)
}

function filesUnder(folder, ending) {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith(ending))
    .map(name => `${folder}/${name.replaceAll('\\', '/')}`)
    .sort()
}
