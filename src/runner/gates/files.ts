import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { readWhole } from '../../files/read-whole.ts'
import { withinTime } from '../answer/within-time.ts'
import type { GateOf } from '../spec/chain-schema.ts'
import { renderToText } from '../template/render.ts'
import type { GateContext, GateResult } from './gate-context.ts'

const MAX_BYTES = 16 * 1_048_576

/** `file_exists`: whether something lies at the path, seen from the step's folder. */
export function fileExists(gate: GateOf<'file_exists'>, context: GateContext): GateResult {
  const path = pathOf(gate.path, context)
  try {
    statSync(path)
    return { passed: true, detail: `${path} is there` }
  } catch (error) {
    return { passed: false, detail: `${path} is not there (${(error as NodeJS.ErrnoException).code})` }
  }
}

/** `file_contains`: whether a file holds a text, or text that fits a pattern. */
export function fileContains(gate: GateOf<'file_contains'>, context: GateContext): GateResult {
  const path = pathOf(gate.path, context)
  const read = readText(path)
  if ('problem' in read) return { passed: false, detail: read.problem }
  const wanted = gate.text === undefined ? null : renderToText(gate.text, context.lookUp)
  const looked = withinTime(() =>
    wanted === null ? new RegExp(gate.pattern ?? '', 'mu').test(read.text) : read.text.includes(wanted),
  )
  if ('problem' in looked) return { passed: false, detail: `${path}: ${looked.problem}` }
  const passed = looked.result
  const what = wanted === null ? `text that fits ${gate.pattern}` : JSON.stringify(wanted.slice(0, 80))
  return { passed, detail: `${path} ${passed ? 'holds' : 'does not hold'} ${what}` }
}

/** A path as a gate names it: its templates filled, seen from the step's folder. */
export function pathOf(path: string, { lookUp, cwd }: GateContext): string {
  return resolve(cwd, renderToText(path, lookUp))
}

/** The text of a file that a gate looks into, or why it cannot be looked into. */
export function readText(path: string): { text: string } | { problem: string } {
  const read = readWhole(path, { largest: MAX_BYTES })
  if ('bytes' in read) return { text: read.bytes.toString('utf8') }
  if (read.unread === 'too-large') return { problem: `${path} is over 16 MiB` }
  return { problem: `${path} ${read.code === undefined ? read.why : `cannot be read (${read.code})`}` }
}
