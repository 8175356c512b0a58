// Times a scan of generated transcripts beside `rg -c` and `jq` over the same files, in one run on one machine, and
// prints megabytes a second, peak memory and ratios. Size: node bench/scan.mjs 500 (megabytes).
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateTranscripts } from './generate-transcripts.mjs'

const megabytes = Number(process.argv[2] ?? 500)
const dir = mkdtempSync(join(tmpdir(), 'coord-bench-scan-'))
process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
const { files, prompts } = generateTranscripts(join(dir, 'claude'), { megabytes })
console.log(`${megabytes} MB in ${files} transcripts, ${prompts} prompts`)

const env = {
  ...process.env,
  XDG_CACHE_HOME: join(dir, 'cache'),
  XDG_DATA_HOME: join(dir, 'data'),
  COORD_INDEX: '',
  COORD_RECORD_DIR: join(dir, 'record'),
}
run(process.execPath, ['dist/coord.js', 'sample', env.COORD_RECORD_DIR])
const scan = out => [
  process.execPath,
  ['dist/coord.js', 'scan', join(dir, out), '--claude', join(dir, 'claude')],
]
const everyFile = `find ${join(dir, 'claude')} -name '*.jsonl' -print0 | xargs -0`

const first = await measure('coord scan', ...scan('out'))
const again = await measure('coord scan again, nothing changed', ...scan('out'))
const check = await measure('coord scan check', process.execPath, [
  'dist/coord.js',
  'scan',
  'check',
  join(dir, 'out'),
])
const rg = await measure('rg -c', 'sh', ['-c', `${everyFile} rg -c '"type":"user"'`], 'rg')
const jq = await measure(
  'jq',
  'sh',
  ['-c', `${everyFile} jq -c 'select(.type == "user") | .message.content'`],
  'jq',
)
for (const [name, one] of Object.entries({ again, check, rg, jq })) {
  if (one) console.log(`${`coord scan / ${name}`.padEnd(36)} = ${(first.seconds / one.seconds).toFixed(2)}`)
}

/** Runs a command, prints and returns what it took; null where the program is not there. */
async function measure(what, command, args, program) {
  if (program && spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0) {
    console.log(`${what.padEnd(36)} not installed here`)
    return null
  }
  const started = performance.now()
  const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid))
  }, 10)
  const code = await new Promise(resolve => child.on('exit', resolve))
  clearInterval(watch)
  // A check of a scan that nobody has traced yet refuses it, which is work done too.
  if (code !== 0 && code !== 4) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${stderr}`)
  const seconds = (performance.now() - started) / 1_000
  const rate = (megabytes / seconds).toFixed(0).padStart(5)
  console.log(
    `${what.padEnd(36)} ${seconds.toFixed(2).padStart(7)} s ${rate} MB/s  peak ${(peak / 1024).toFixed(0)} MB`,
  )
  return { seconds, peak }
}

/** The peak memory of a process, in KiB, as Linux tells it; of a shell's children where it has some. */
function peakOf(pid) {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
    const own = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
    return Math.max(own, ...children.map(Number).map(peakOf))
  } catch {
    return 0
  }
}

function run(command, args) {
  const { status, stderr } = spawnSync(command, args, { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`)
}
