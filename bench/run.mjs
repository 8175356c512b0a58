// Times the main job on a generated record beside the plainest way to do the same, in one run on one machine, and
// prints the ratios. Sizes: npm run bench -- 1000 50000 (sessions, entries).
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateRecord, sessionId } from './generate-record.mjs'

const [sessions = 1_000, entries = 50_000] = process.argv.slice(2).map(Number)
const dir = mkdtempSync(join(tmpdir(), 'coord-bench-'))
const record = join(dir, 'record')
process.on('exit', () => rmSync(dir, { recursive: true, force: true }))

console.log(`making a record of ${entries} entries in ${sessions} sessions`)
generateRecord(record, { sessions, entries })

const coord = (...args) => [process.execPath, ['dist/coord.js', ...args, '--record-dir', record]]
const shell = script => ['sh', ['-c', script]]
const everyFile = `find ${record} -name '*.json' -print0 | xargs -0`

compare(
  'make the index / cat every file',
  coord('index', '--rebuild'),
  shell(`${everyFile} cat > ${dir}/all`),
)
compare(
  'refresh with nothing new / list every folder',
  coord('index'),
  shell(`ls -R ${record} > ${dir}/names`),
)
compare(
  'every chain / grep every chain entry',
  coord('tree', '--json'),
  shell(`${everyFile} grep -l '"kind":"chain"' > ${dir}/found`),
)
compare(
  'one chain / grep every chain entry',
  coord('tree', '--session', sessionId(1), '--json'),
  shell(`${everyFile} grep -l '"kind":"chain"' > ${dir}/found`),
)
compare(
  'a filtered query / grep for it',
  coord('query', 'messages', "side = 'sent' and text match 'schema drift'", '--count'),
  shell(`${everyFile} grep -lE '"side":"sent".*schema drift' > ${dir}/found || true`),
)

function compare(what, one, other) {
  const [ours, theirs] = [time(one), time(other)]
  console.log(`${what.padEnd(48)} ${format(ours)} / ${format(theirs)} = ${(ours / theirs).toFixed(2)}`)
}

function time([command, args]) {
  const env = { ...process.env, XDG_CACHE_HOME: join(dir, 'cache'), COORD_INDEX: '', COORD_RECORD_DIR: '' }
  const started = performance.now()
  const { status, stderr } = spawnSync(command, args, {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    maxBuffer: 1 << 30,
  })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`)
  return performance.now() - started
}

function format(milliseconds) {
  return `${Math.round(milliseconds)} ms`.padStart(9)
}
