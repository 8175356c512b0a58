import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Command-line tests start real processes; two cores are shared by all of them.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
  },
})
