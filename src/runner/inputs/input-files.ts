import { hash } from 'node:crypto'
import { readWhole } from '../../files/read-whole.ts'
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
  const read = readWhole(path, { largest: MAX_BYTES })
  // A step may have moved it away.
  return 'bytes' in read ? hash('sha256', read.bytes) : null
}
