import { hash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { Chain } from '../spec/chain-schema.ts'

const MAX_BYTES = 256 * 1_048_576

/** The hash of each file that an input of type `path` names; folders, and files over 256 MiB, have none. */
export function inputFiles(chain: Chain, inputs: Record<string, unknown>): Record<string, string> {
  const hashes = (chain.inputs ?? []).flatMap(({ name, type }) => {
    const sha256 = type === 'path' && typeof inputs[name] === 'string' ? fileHash(inputs[name]) : null
    return sha256 === null ? [] : [[name, sha256] as const]
  })
  return Object.fromEntries(hashes)
}

function fileHash(path: string): string | null {
  try {
    const facts = statSync(path)
    if (!facts.isFile() || facts.size > MAX_BYTES) return null
    return hash('sha256', readFileSync(path))
  } catch {
    // A step may have moved it away.
    return null
  }
}
