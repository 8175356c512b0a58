import { appendFileSync } from 'node:fs'
import { prepareRun } from '../../../src/runner/run/prepare-run.ts'
import { resumeRun } from '../../../src/runner/run/resume-run.ts'
import type { RunPlace } from '../../../src/runner/run/run-context.ts'
import { startRun } from '../../../src/runner/run/start-run.ts'
import { readChain } from '../../../src/runner/spec/read-chain.ts'

/** One life of a run: begun or resumed, and killed without warning once it has written so many events. */
export interface Life {
  place: RunPlace
  chainPath: string
  logPath: string | null
  killAfter: number
  /** Leaves the beginning of a next line behind. */
  torn: boolean
  jobs: number
}

const life = JSON.parse(process.argv[2] ?? '') as Life
let written = 0
const options = {
  signal: new AbortController().signal,
  begins: (_: string, logPath: string) => {
    life.logPath = logPath
  },
  observer: {
    event() {
      written += 1
      if (written < life.killAfter) return
      if (life.torn) appendFileSync(life.logPath as string, '{"at":"2026-11-01T10:00:00.000Z","event":"ga')
      process.kill(process.pid, 'SIGKILL')
    },
    decide: async () => null,
  },
}
if (life.logPath === null) {
  const prepared = await prepareRun(readChain(life.chainPath), {}, {}, life.place)
  await startRun(prepared, life.place, { ...options, jobs: life.jobs, program: 'test' })
} else await resumeRun(life.logPath, life.place, { ...options, decisions: {} })
