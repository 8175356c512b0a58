// The main job on the built-in sample record, as a person types it: write the sample, index it, print its chain tree,
// ask two questions.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'

rmSync('.sample', { recursive: true, force: true })
const record = ['--record-dir', '.sample/record']
const commands = [
  ['sample', '.sample/record'],
  ['index', ...record],
  ['tree', ...record],
  ['query', 'messages', "text match 'schema drift'", '--select', 'at,session_id,side,text', ...record],
  ['query', 'sessions', "role = 'lead'", '--select', 'session_id,part,last_heard', ...record],
]
for (const args of commands) {
  console.log(`\n$ coord ${args.map(arg => (/^[\w./,-]+$/.test(arg) ? arg : `"${arg}"`)).join(' ')}`)
  const { status } = spawnSync(process.execPath, ['dist/coord.js', ...args], {
    stdio: 'inherit',
    env: {
      ...process.env,
      XDG_CACHE_HOME: `${process.cwd()}/.sample/cache`,
      COORD_INDEX: '',
      COORD_RECORD_DIR: '',
    },
  })
  if (status !== 0) process.exit(status ?? 1)
}
