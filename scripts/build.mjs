// Bundles the command line into dist/: one entry, and one chunk for what only some commands need. Packages are
// bundled too, since loading their many small files took longer than most answers; the native module stays outside.
// There are no source maps: Node does not look at them, they were more than half of the package, and a stack trace names
// the functions as src does, since nothing is shortened here; a comment above each part of dist gives its file.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { licencesOf } from './licences.mjs'

rmSync('dist', { recursive: true, force: true })
const { metafile } = await build({
  entryPoints: { coord: 'src/cli/main.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: ['better-sqlite3'],
  define: { COORD_REVISION: JSON.stringify(revision()) },
  metafile: true,
  // Packages in the older module format call a `require` that ES modules do not have.
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire as createRequireOfBundle } from 'node:module';\nconst require = createRequireOfBundle(import.meta.url);",
  },
  logLevel: 'warning',
})
chmodSync('dist/coord.js', 0o755)
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licencesOf('.', metafile))

/**
 * Names what is built: the commit, with the hash of the sources where they differ from it or where there is no
 * repository. A result of a scan says it, so that two versions can be told apart.
 */
function revision() {
  const hash = createHash('sha256')
  for (const folder of ['migrations', 'src']) {
    for (const name of readdirSync(folder, { recursive: true }).sort()) {
      if (name.endsWith('.ts')) hash.update(`${folder}/${name}\n`).update(readFileSync(join(folder, name)))
    }
  }
  const sources = `sources.${hash.digest('hex').slice(0, 12)}`
  const commit = git('rev-parse', '--short=12', 'HEAD')
  if (commit === null) return sources
  return git('status', '--porcelain', '--', 'src', 'migrations', 'package-lock.json') === ''
    ? commit
    : `${commit}+${sources}`
}

/** Null where this is no repository of its own, or git is not there. */
function git(...args) {
  try {
    const top = execFileSync('git', ['rev-parse', '--show-prefix'], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim()
    return top === '' ? execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim() : null
  } catch {
    return null
  }
}
