import { defineConfig } from 'vitest/config'

// Measurements that need the real host run under vitest, since the harness that drives it does.
export default defineConfig({
  test: { include: ['bench/*.bench.ts'], testTimeout: 600_000, hookTimeout: 120_000 },
})
