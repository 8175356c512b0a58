// Bundles the command line into dist/: one entry, and one chunk for each command so that a command
// loads only what it needs. Packages stay outside the bundle; npm installs them.
import { chmodSync, rmSync } from 'node:fs'
import { build } from 'esbuild'

rmSync('dist', { recursive: true, force: true })
await build({
  entryPoints: { coord: 'src/cli/main.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  sourcemap: true,
  banner: { js: '#!/usr/bin/env node' },
  logLevel: 'warning',
})
chmodSync('dist/coord.js', 0o755)
