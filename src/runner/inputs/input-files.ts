import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { Chain } from '../spec/chain-schema.ts'

const MAX_BYTES = 256 * 1_048_576

/** The hash of each file that an input of type `path` names; folders, and files over 256 MiB, have none. */
export function inputFiles(chain: Chain, inputs: Record<string, unknown>): Record<string, string> {
  const hashes = (chain.inputs ?? []).flatMap(({ name, type }) => {
    const hash = type === 'path' && typeof inputs[name] === 'string' ? fileHash(inputs[name]) : null
    return hash === null ? [] : [[name, hash] as const]
  })
  return Object.fromEntries(hashes)
}

function fileHash(path: string): string | null {
  try {
    const facts = statSync(path)
    if (!facts.isFile() || facts.size > MAX_BYTES) return null
    return createHash('sha256').update(readFileSync(path)).digest('hex')
  } catch {
    // A step may have moved it away.
    return null
  }
}
