import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { build } from 'esbuild'
import { endingFolder } from './endings.ts'

const PROJECT = resolve(import.meta.dirname, '../../..')

export interface PluginSource {
  name: string
  /** The module: `export function register(on, options) { … }`. */
  module: string
  /** Added to the manifest, for example `userConfig`. */
  manifest?: object
  /** More files, by their path in the plugin. */
  files?: Record<string, string>
  /** Where the plugin is written; else to a folder that is removed when the test, or the file, ends. */
  dir?: string
}

/** Writes a plugin with one module and gives its folder, for `pluginDirs`. */
export function pluginDir({ name, module, manifest, files, dir = endingFolder() }: PluginSource): string {
  const all: Record<string, string> = {
    '.claude-plugin/plugin.json': JSON.stringify({
      name,
      version: '0.0.1',
      description: 'for tests',
      ...manifest,
    }),
    'hooks/hooks.json': JSON.stringify({ modules: ['./register.js'] }),
    'hooks/register.js': module,
    ...files,
  }
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  return dir
}

/**
 * Bundles the text of a module as the mod is bundled. Its imports are written from the project's root:
 * `import { parseEntry } from './src/record/entry.ts'`.
 */
export async function bundled(module: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: module, resolveDir: PROJECT, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2023',
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}
