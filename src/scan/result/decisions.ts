import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync } from 'node:fs'
import { writeAll } from '../../files/whole-file.ts'
import { Problem } from '../../problem/problem.ts'
import { parseAs, readResultFile } from './read-rows.ts'
import { resultFile } from './result-folder.ts'
import { rowLine } from './row-line.ts'
import { type Decision, decisionRow } from './rows.ts'

/** What people decided about a result, in the order in which they did; of one message the last one counts. */
export interface Decisions {
  all: readonly Decision[]
  resolved: ReadonlyMap<string, Extract<Decision, { decision: 'resolve' }>>
  traced: ReadonlyMap<string, Extract<Decision, { decision: 'trace' }>>
}

/**
 * The decisions of a result; none where nobody has decided anything. A last line without its end is what a killed
 * command left, which told nobody that it was done: it does not count.
 *
 * @throws Problem `failed` that names the line which cannot be read
 */
export function readDecisions(out: string): Decisions {
  const path = resultFile(out, 'decisions')
  const bytes = existsSync(path) ? readResultFile(path) : Buffer.alloc(0)
  const text = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1).toString('utf8')
  const all = text
    .split('\n')
    .slice(0, -1)
    .map((line, index) => decisionOf(path, index + 1, line))
  const resolved = new Map<string, Extract<Decision, { decision: 'resolve' }>>()
  const traced = new Map<string, Extract<Decision, { decision: 'trace' }>>()
  for (const one of all) {
    if (one.decision === 'resolve') resolved.set(one.id, one)
    else traced.set(one.id, one)
  }
  return { all, resolved, traced }
}

/** Adds decisions to those that are there; nothing that was decided is ever taken out. */
export function appendDecisions(out: string, decisions: readonly Decision[]): void {
  const path = resultFile(out, 'decisions')
  cutTornLine(path)
  const file = openSync(path, 'a', 0o600)
  try {
    writeAll(file, Buffer.from(decisions.map(rowLine).join('')), path)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function cutTornLine(path: string): void {
  if (!existsSync(path)) return
  const bytes = readResultFile(path)
  const whole = bytes.lastIndexOf(0x0a) + 1
  if (whole === bytes.length) return
  const file = openSync(path, 'r+')
  try {
    if (fstatSync(file).size === bytes.length) ftruncateSync(file, whole)
  } finally {
    closeSync(file)
  }
}

function decisionOf(path: string, line: number, text: string): Decision {
  const read = parseAs(text, decisionRow)
  if ('value' in read) return read.value
  throw new Problem('failed', `${path}, line ${line}, cannot be read: ${read.wrong}`, {
    path,
    hint: 'mend the line, or take it out: the decision does not count then',
  })
}
