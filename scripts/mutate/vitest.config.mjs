// Stryker runs the tests of one room with this, in a copy of the project whose sources are instrumented.
import { join, relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'
import { testsOf } from './rooms.mjs'

/** Stryker asks for threads; the tests need processes, as they have them in `npm test`: some set the time zone. */
const inProcesses = {
  name: 'in-processes',
  configureVitest({ project }) {
    project.config.pool = 'forks'
  },
}

const longestRun = new Map()

/** The file that takes least comes first: the first failing test ends the run for a mutant. */
class ShortestFirst extends BaseSequencer {
  async sort(files) {
    for (const { moduleId, project } of files) {
      const key = `${project.name}:${relative(this.ctx.config.root, moduleId)}`
      const { duration = 0 } = this.ctx.cache.getFileTestResults(key) ?? {}
      longestRun.set(moduleId, Math.max(duration, longestRun.get(moduleId) ?? 0))
    }
    return [...files].sort((a, b) => longestRun.get(a.moduleId) - longestRun.get(b.moduleId))
  }
}

let state

/**
 * Stryker looks at tests and at errors that nothing caught. A file that does not load and a hook that fails at the end
 * of one make a run fail as well, and belong among those errors; none may be without a prototype, as they arrive.
 */
const allErrors = {
  onInit(vitest) {
    state = vitest.state
  },
  onTestRunEnd(modules, uncaught) {
    const parts = modules.flatMap(module => [module, ...module.children.allSuites()])
    state.clearErrors()
    for (const { message } of [...uncaught, ...parts.flatMap(part => part.errors())])
      state.catchError(new Error(message), 'Unhandled Error')
  },
}

export default defineConfig({
  plugins: [inProcesses],
  // Vite's own cache would lie in node_modules, which the copy shares with the project.
  cacheDir: '.vite-cache',
  test: {
    include: testsOf(process.env.COORD_MUTATE_ROOM),
    reporters: [allErrors],
    setupFiles: [join(import.meta.dirname, 'in-worker.mjs')],
    sequence: { sequencer: ShortestFirst },
    testTimeout: 240_000,
    hookTimeout: 240_000,
    retry: 0,
  },
})
