import { availableParallelism } from 'node:os'
import { relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { SLOW } from './test/stages.ts'

/** The second stage in the order of its list; the first as vitest orders it. */
class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = (file: TestSpecification) => SLOW.indexOf(relative(import.meta.dirname, file.moduleId))
    return (await super.sort(files)).sort((one, other) => place(one) - place(other))
  }
}

const common = {
  // Command-line tests start real processes, those of test/host the host itself; all of them share the cores.
  testTimeout: 240_000,
  hookTimeout: 240_000,
  pool: 'forks' as const,
  // A test often waits: for a process that it started, for a clock, for the host. Another one works meanwhile.
  maxWorkers: availableParallelism() + 1,
}

export default defineConfig({
  test: {
    sequence: { sequencer: InOrder },
    projects: [
      { test: { ...common, name: 'quick', include: ['test/**/*.test.ts'], exclude: SLOW } },
      { test: { ...common, name: 'slow', include: SLOW, sequence: { groupOrder: 1 } } },
    ],
  },
})
