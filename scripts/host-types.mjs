// Writes the type declarations of the host's mod API, for exactly the host that is installed, to .host-types/, which
// git ignores: they are the vendor's. The host lays them out itself for its skill `/plugin-authoring`; the request it
// then makes goes to a server on the loopback interface that refuses it. Does nothing where they are there already.
import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const host = join(root, 'node_modules/@anthropic-ai/claude-code/package.json')
const target = join(root, '.host-types')
const stamp = join(target, 'host-version.txt')
const HANGS_AFTER_MS = 60_000

if (!existsSync(host)) throw new Error(`${host} is missing: run "npm install" with development dependencies`)
const { version } = JSON.parse(readFileSync(host, 'utf8'))
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== version) await generate()

async function generate() {
  const dir = mkdtempSync(join(tmpdir(), 'coord-host-types-'))
  try {
    const output = await layOut(dir)
    const found = readdirSync(dir, { recursive: true }).find(name =>
      name.endsWith(join('plugin-authoring', 'types', 'claude-code.d.ts')),
    )
    if (!found) throw new Error(`the host laid out no claude-code.d.ts; it printed:\n${output}`)
    rmSync(target, { recursive: true, force: true })
    mkdirSync(target)
    cpSync(join(dir, found), join(target, 'claude-code.d.ts'))
    writeFileSync(stamp, version)
  } finally {
    rmSync(dir, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Runs the host with all its folders below `dir`; gives what it printed. */
async function layOut(dir) {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end('{"type":"error","error":{"type":"invalid_request_error","message":"no model here"}}')
  })
  await new Promise(done => server.listen(0, '127.0.0.1', done))
  const child = spawn(join(root, 'node_modules/.bin/claude'), ['-p', '/plugin-authoring types'], {
    cwd: dir,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: HANGS_AFTER_MS,
    env: {
      PATH: process.env.PATH,
      HOME: dir,
      CLAUDE_CONFIG_DIR: join(dir, 'config'),
      TMPDIR: dir,
      XDG_RUNTIME_DIR: dir,
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.address().port}`,
      ANTHROPIC_API_KEY: 'no-real-key',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  })
  const chunks = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => chunks.push(chunk))
  await new Promise((done, failed) => child.on('close', done).on('error', failed))
  server.closeAllConnections()
  server.close()
  return Buffer.concat(chunks).toString('utf8')
}
