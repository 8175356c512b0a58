import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Command-line tests start real processes, those of test/host the host itself; two cores are shared by all of them.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Tests that drive the real host, watches and kills depend on how busy a shared machine is. A test that is tried
    // again is named in the output; on a person's machine none is.
    retry: process.env.CI ? 2 : 0,
  },
})
