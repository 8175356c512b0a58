// The mutants of files as Stryker makes them, and a choice among them.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { Instrumenter } from '@stryker-mutator/instrumenter'

const silent = { isDebugEnabled: () => false, debug: () => {}, info: () => {}, warn: () => {} }

/** All mutants of these files, each as its key; those that `mutator` leaves out are none. */
export async function listMutants(files, mutator) {
  const sources = files.map(file => ({
    name: resolve(file),
    mutate: true,
    content: readFileSync(file, 'utf8'),
  }))
  const { mutants } = await new Instrumenter(silent).instrument(sources, {
    plugins: null,
    ignorers: [],
    ...mutator,
  })
  return mutants.filter(({ status }) => status === undefined).map(keyOf)
}

/** What a mutant is known by in every run over the same sources. Stryker numbers them anew for each choice of files. */
export function keyOf({ fileName, location: { start, end }, mutatorName, replacement }) {
  const place = [start.line, start.column, end.line, end.column].join(':')
  return [relative(process.cwd(), resolve(fileName)), place, mutatorName, replacement].join('\t')
}

/** `count` of the keys; the same seed chooses the same ones, also where other mutants have come or gone. */
export function chooseBySeed(keys, count, seed) {
  const byHash = keys.map(key => ({
    key,
    hash: createHash('sha256').update(`${seed}\n${key}`).digest('hex'),
  }))
  return byHash
    .sort((a, b) => (a.hash < b.hash ? -1 : 1))
    .slice(0, count)
    .map(({ key }) => key)
}
