import { Problem } from '../../problem/problem.ts'
import type { Exclusion, Manifest } from '../manifest.ts'
import type { Direction, Message } from '../message.ts'
import { isMissing, parseAs, type ReadRow, readResultFile, readRows } from './read-rows.ts'
import { FORMAT, formatOf, resultFile } from './result-folder.ts'
import {
  directionRow,
  exclusionRow,
  manifestFile,
  messageRow,
  type UnresolvedRow,
  unresolvedRow,
} from './rows.ts'

// Every reader throws a Problem `failed` that names the file, and the line of a row, that is not what it must be.

/**
 * The manifest of a result.
 *
 * @throws Problem `not-found` where there is no result, `failed` where the manifest cannot be read
 */
export function readManifest(out: string): Manifest {
  const path = resultFile(out, 'manifest')
  let text: string
  try {
    text = readResultFile(path).toString('utf8')
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new Problem('not-found', `there is no result of a scan at ${out}`, {
      path,
      hint: `coord scan ${out} makes one`,
    })
  }
  const read = parseAs(text, manifestFile)
  if ('value' in read) return read.value
  const format = formatOf(read.json)
  if (format !== null && format !== FORMAT) {
    throw new Problem('failed', `${path} is a result of another version (format ${format})`, {
      path,
      hint: 'read it with that version of coord, or scan into another folder',
    })
  }
  throw new Problem('failed', `${path} cannot be read: ${read.wrong}`, {
    path,
    hint: 'scan into this folder again; decisions are kept',
  })
}

export function readMessages(out: string): Generator<ReadRow<Message>> {
  return readRows(resultFile(out, 'messages'), messageRow)
}

export function readDirections(out: string): Generator<ReadRow<Direction>> {
  return readRows(resultFile(out, 'directions'), directionRow)
}

export function readUnresolved(out: string): Generator<ReadRow<UnresolvedRow>> {
  return readRows(resultFile(out, 'unresolved'), unresolvedRow)
}

export function readExclusions(out: string): Generator<ReadRow<Exclusion>> {
  return readRows(resultFile(out, 'exclusions'), exclusionRow)
}
