// Stryker runs the tests of one room with this, in a copy of the project whose sources are instrumented.
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { testsOf } from './rooms.mjs'

/** Stryker asks for threads; the tests need processes, as they have them in `npm test`: some set the time zone. */
const inProcesses = {
  name: 'in-processes',
  configureVitest({ project }) {
    project.config.pool = 'forks'
  },
}

export default defineConfig({
  plugins: [inProcesses],
  test: {
    include: testsOf(process.env.COORD_MUTATE_ROOM),
    setupFiles: [join(import.meta.dirname, 'in-worker.mjs')],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    retry: 0,
  },
})
