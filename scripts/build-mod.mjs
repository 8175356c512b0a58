// Bundles the mod into plugins/coordination, or into the folder that is given. What it writes is committed, so that the
// marketplace works from a clone that was never built: a test holds it against the sources. It is one file, since the host
// imports nothing from outside the plugin's folder, and its lines are the sources', so that a change shows as one and
// merges as one: shortening them made no start of a session faster.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { licencesOf } from './licences.mjs'

const root = resolve(import.meta.dirname, '..')
const folder = resolve(process.argv[2] ?? join(root, 'plugins/coordination/hooks'))

const { metafile } = await build({
  // Paths in the file's comments are as seen from here, wherever the build was called.
  absWorkingDir: root,
  entryPoints: ['src/plugin/register.ts'],
  outfile: join(folder, 'register.js'),
  bundle: true,
  format: 'esm',
  target: 'es2023',
  banner: { js: '// Made from src/plugin by `npm run build`: change it there.' },
  metafile: true,
  logLevel: 'warning',
})
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), `${licencesOf(root, metafile)}\n`)
