import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { buildSync } from 'esbuild'
import { beforeAll } from 'vitest'
import { sharedTempFolder } from './temp-folder.ts'

export interface ScanProcess {
  child: ReturnType<typeof spawn>
  /** Resolves at the first transcript. */
  started: Promise<void>
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>
}

/**
 * The scan as a program of its own: it prints `{ words, messages, exclusions }`, the messages as label and hash. Call it
 * outside of tests.
 */
export function bundledScan(): { run(roots: string[], cacheDir: string, under?: string[]): ScanProcess } {
  const program = join(sharedTempFolder(), 'scan.mjs')
  beforeAll(() => {
    buildSync({
      stdin: {
        resolveDir: resolve(import.meta.dirname, '../../src/scan'),
        contents: `
          import { scanTranscripts } from './scan.ts'
          const [cacheDir, ...claude] = process.argv.slice(2)
          const options = { claude, codex: [], project: null, since: null, until: null, recordDir: null }
          const onSource = file => process.stderr.write(file)
          const scanned = scanTranscripts({ options, cacheDir, revision: 'test', record: null, onSource })
          const all = [...scanned.messages()].map(({ message }) => message)
          const messages = all.map(({ label, sha256 }) => [label, sha256])
          const words = all.map(({ words }) => words)
          process.stdout.write(JSON.stringify({ words, messages, exclusions: scanned.exclusions }))
        `,
      },
      ...{ bundle: true, platform: 'node', format: 'esm', outfile: program, logLevel: 'error' },
    })
  })
  return {
    run: (roots, cacheDir, under = []) => start([...under, process.execPath, program, cacheDir, ...roots]),
  }
}

function start([command, ...args]: string[]): ScanProcess {
  const child = spawn(command as string, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  let onStart: () => void = () => {}
  const started = new Promise<void>(done => {
    onStart = done
  })
  child.stdout.on('data', chunk => {
    stdout += chunk
  })
  child.stderr.on('data', chunk => {
    stderr += chunk
    onStart()
  })
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>(done => {
    child.on('close', code => {
      onStart()
      done({ code, stdout, stderr })
    })
  })
  return { child, started, ended }
}
