// Runs the tests stage by stage (test/stages.ts); a stage with a failure is the last. The closing lines tell what was
// skipped and why, and the sum of all stages. Arguments narrow the test files: `npm test -- test/query`.
import { parseCLI, startVitest } from 'vitest/node'

/** How the reason begins of a test that another version of Node runs, or another machine: nothing to install would help here. */
const OTHER_PLACE = /^this (Node|machine) /

const { filter } = parseCLI(['vitest', 'run', ...process.argv.slice(2)])
const mayNotSkip = process.platform === 'linux' && Boolean(process.env.CI)
const sum = { passed: 0, failed: 0, failures: [], skipped: [] }

for (const project of ['quick', 'slow']) {
  console.log(`\nStage ${project}`)
  const vitest = await startVitest('test', filter, {
    project,
    watch: false,
    passWithNoTests: filter.length > 0,
  })
  add(vitest)
  await vitest.close()
  if (sum.failed > 0) break
}
if (sum.passed + sum.failed + sum.skipped.length === 0) sum.failed += 1

for (const [what, count] of counted(sum.skipped.map(({ file, reason }) => `${file}: ${reason}`)))
  console.log(`skipped: ${count} of ${what}`)
for (const failure of sum.failures) console.log(`failed: ${failure}`)
// Whoever skips a test on the machine that checks a change has not checked it; what needs another Node is run there by
// `scripts/fresh-machine.sh --test 22`.
if (mayNotSkip) sum.failed += sum.skipped.filter(({ reason }) => !OTHER_PLACE.test(reason)).length
process.exitCode = sum.failed > 0 ? 1 : 0
console.log(`${sum.passed} passed, ${sum.failed} failed`)

/** Adds what a stage came to: its tests, and what failed outside of them, such as a file that cannot be read. */
function add({ state }) {
  for (const module of state.getTestModules()) {
    const tests = [...module.children.allTests()]
    for (const test of tests) {
      const { state: ended, note } = test.result()
      if (ended === 'passed') sum.passed += 1
      else if (ended === 'failed') fail(`${module.relativeModuleId} > ${test.fullName}`, test.result().errors)
      else sum.skipped.push({ file: module.relativeModuleId, reason: note ?? 'no reason is given' })
    }
    if (module.state() === 'failed' && !tests.some(test => test.result().state === 'failed'))
      fail(module.relativeModuleId, module.errors())
  }
  for (const error of state.getUnhandledErrors()) fail('outside of every test', [error])
}

/** One more failure, told again at the end in one line, since what vitest prints of it may be far above. */
function fail(what, errors) {
  sum.failed += 1
  sum.failures.push(`${what}: ${errors?.[0]?.message?.split('\n')[0] ?? 'no reason is given'}`)
}

function counted(texts) {
  const counts = new Map()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}
