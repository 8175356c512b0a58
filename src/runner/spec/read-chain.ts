import { hash } from 'node:crypto'
import { readText } from '../../files/read-text.ts'
import { Problem } from '../../problem/problem.ts'
import { templateMistakes } from '../template/check-templates.ts'
import { ruleMistakes } from './chain-rules.ts'
import { type Chain, chainSchema } from './chain-schema.ts'
import { type Mistake, mistakesProblem } from './mistake.ts'
import { schemaMistakes } from './schema-mistakes.ts'
import { readYaml } from './yaml-source.ts'

/** A chain as its file holds it. */
export interface ReadChain {
  path: string
  text: string
  sha256: string
  chain: Chain
}

export type CheckedChain = { chain: Chain } | { mistakes: Mistake[] }

const MAX_BYTES = 1_048_576

/** Reads and checks the text of a chain: its YAML, its closed schema, its rules and its templates, in this order. */
export function checkChain(text: string): CheckedChain {
  const read = readYaml(text)
  if ('mistakes' in read) return read
  const { source } = read
  const refused = schemaMistakes(source)
  if (refused.length > 0) return { mistakes: inOrder(refused) }
  const chain = chainSchema.parse(source.data)
  const mistakes = inOrder([...ruleMistakes(chain, source), ...templateMistakes(chain, source)])
  return mistakes.length > 0 ? { mistakes } : { chain }
}

function inOrder(mistakes: Mistake[]): Mistake[] {
  return mistakes.sort((a, b) => a.line - b.line || a.column - b.column)
}

/** Checks a chain's file; one that cannot be read is a mistake of its first line. */
export function checkFile(path: string): CheckedChain {
  try {
    return checkChain(readChainText(path))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { mistakes: [{ message: error.message, line: 1, column: 1 }] }
  }
}

/**
 * Reads a chain's file.
 *
 * @throws Problem `check` with every mistake and its place; `not-found` where there is no such file
 */
export function readChain(path: string): ReadChain {
  const text = readChainText(path)
  const checked = checkChain(text)
  if ('mistakes' in checked) throw mistakesProblem(path, checked.mistakes)
  return { path, text, sha256: hash('sha256', text), chain: checked.chain }
}

/**
 * The text of a chain's file.
 *
 * @throws Problem `not-found`, `check`
 */
export function readChainText(path: string): string {
  const read = readText(path, { largest: MAX_BYTES })
  if ('text' in read) return read.text
  const hint = 'name a file that is there and that you may read; coord chain list names those that are here'
  switch (read.unread) {
    case 'no-file':
      throw new Problem('check', `${path} is no file`, { path, hint })
    case 'too-large':
      throw new Problem('check', `${path} is over 1 MiB, which no chain is`, { path, hint })
    case 'not-utf8':
      throw new Problem('check', `${path} is not UTF-8`, { path, hint: 'save it as UTF-8' })
    default: {
      const kind = read.unread === 'missing' ? 'not-found' : 'environment'
      throw new Problem(kind, `the chain's file ${read.why}`, { path, hint })
    }
  }
}
