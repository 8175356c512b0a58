import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { tempFolder } from './temp-folder.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** The package as npm publishes it, in `dir`: the packed file, and the folder that it was unpacked to. */
export function packed(dir = tempFolder()): { file: string; folder: string } {
  run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', dir])
  const file = join(dir, readdirSync(dir).find(name => name.endsWith('.tgz')) as string)
  run('tar', ['xzf', file, '-C', dir])
  return { file, folder: join(dir, 'package') }
}

function run(command: string, args: string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`)
}
