import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Command-line tests start real processes, those of test/host the host itself; two cores are shared by all of them.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
  },
})
