// A checker of Stryker that lets only the mutants of a sample through to the tests.
import { readFileSync } from 'node:fs'
import { keyOf } from './list-mutants.mjs'

export const strykerPlugins = [{ kind: 'Checker', name: 'only-chosen', factory: onlyChosen }]

function onlyChosen() {
  const chosen = new Set(JSON.parse(readFileSync(process.env.COORD_MUTATE_CHOSEN, 'utf8')))
  return {
    init: async () => {},
    // "CompileError" is the one word that Stryker has for a mutant that is not to be run.
    check: async mutants =>
      Object.fromEntries(
        mutants.map(mutant => [
          mutant.id,
          chosen.has(keyOf(mutant)) ? { status: 'passed' } : { status: 'compileError', reason: 'not chosen' },
        ]),
      ),
    group: async mutants => [mutants.map(({ id }) => id)],
  }
}
