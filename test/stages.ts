/**
 * The files of the second stage, those that take longest first, so that no worker is left with a long one at the end:
 * they start the real host, kill processes at many moments, wait for clocks, or work through much. All other test
 * files are of the first stage, `quick`.
 */
export const SLOW = [
  'test/host/recording.test.ts',
  'test/host/view.test.ts',
  'test/host/adoption.test.ts',
  'test/host/scan-kinds.test.ts',
  'test/index/killed.test.ts',
  'test/runner/bounded.test.ts',
  'test/scan/hostile.test.ts',
  'test/runner/resume.test.ts',
  'test/host/scan-messages.test.ts',
  'test/index/equivalence.test.ts',
  'test/host/slow-record.test.ts',
  'test/host/chain.test.ts',
  'test/scan/growth.test.ts',
  'test/indexer/work-counts.test.ts',
  'test/host/chain-run.test.ts',
  'test/host/harness.test.ts',
  'test/index/damaged.test.ts',
  'test/host/scan-read-only.test.ts',
  'test/host/projection.test.ts',
  'test/host/fate.test.ts',
  'test/host/files.test.ts',
  'test/host/install.test.ts',
  'test/host/host-types.test.ts',
]
