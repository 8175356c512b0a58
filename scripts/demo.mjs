// The main job on the built-in sample record, as a person types it: write the sample, index it, print its chain tree,
// ask two questions.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'

rmSync('.sample', { recursive: true, force: true })
const commands = [
  ['sample', '.sample/record'],
  ['index', '--record-dir', '.sample/record', '--index', '.sample/index.db'],
  ['tree', '--record-dir', '.sample/record', '--index', '.sample/index.db'],
  [
    'query',
    'messages',
    "text match 'schema drift'",
    '--record-dir',
    '.sample/record',
    '--index',
    '.sample/index.db',
  ],
  [
    'query',
    'sessions',
    "role = 'lead'",
    '--select',
    'session_id,part,last_heard',
    '--record-dir',
    '.sample/record',
    '--index',
    '.sample/index.db',
  ],
]
for (const args of commands) {
  console.log(`\n$ coord ${args.map(arg => (/^[\w./-]+$/.test(arg) ? arg : `"${arg}"`)).join(' ')}`)
  const { status } = spawnSync(process.execPath, ['dist/coord.js', ...args], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
