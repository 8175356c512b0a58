import { InvalidArgumentError } from 'commander'

/** Collects `NAME=VALUE` options; a name given twice is a mistake. */
export function nameValue(word: string, before: Record<string, string> = {}): Record<string, string> {
  const at = word.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It has to be NAME=VALUE.')
  const name = word.slice(0, at)
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`${name} is given twice.`)
  return { ...before, [name]: word.slice(at + 1) }
}
