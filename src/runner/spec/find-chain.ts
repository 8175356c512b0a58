import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { nearest } from '../../problem/nearest.ts'
import { Problem } from '../../problem/problem.ts'

/** Where chains lie (spec, procedure 1), in the order in which they are looked for. */
export interface ChainPlace {
  scope: 'project' | 'user' | 'drafts'
  folder: string
}

/** The folders that are searched for a chain. */
export function chainPlaces(projectRoot: string, runnerFolder: string): ChainPlace[] {
  return [
    { scope: 'project', folder: join(projectRoot, 'chains') },
    { scope: 'user', folder: join(runnerFolder, 'chains') },
    { scope: 'drafts', folder: join(projectRoot, 'drafts', 'sample-chains') },
  ]
}

/** The project that a folder belongs to: the nearest one above that is under version control or has chains; else itself. */
export function projectRootOf(folder: string): string {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(join(at, '.git')) || existsSync(join(at, 'chains'))) return at
    if (dirname(at) === at) return resolve(folder)
  }
}

export interface FoundChain {
  name: string
  scope: ChainPlace['scope'] | 'file'
  path: string
}

/** Every chain that the places hold, in their order; one that a place before it hides is left out. */
export function listChains(places: readonly ChainPlace[]): FoundChain[] {
  const found = new Map<string, FoundChain>()
  for (const { scope, folder } of places) {
    if (!existsSync(folder)) continue
    for (const file of readdirSync(folder).sort()) {
      const name = /^(.+)\.yaml$/.exec(file)?.[1]
      if (name !== undefined && !found.has(name)) found.set(name, { name, scope, path: join(folder, file) })
    }
  }
  return [...found.values()]
}

/**
 * The file of a chain: by its name in the places, or by its path where the word is one.
 *
 * @throws Problem `not-found` with the places that were searched
 */
export function findChain(word: string, places: readonly ChainPlace[]): FoundChain {
  if (/[\\/]/.test(word) || /\.ya?ml$/.test(word)) {
    if (existsSync(word)) return { name: word, scope: 'file', path: resolve(word) }
    throw new Problem('not-found', `no file ${word}`, {
      path: word,
      hint: 'name a file that is there, or a chain by its name; coord chain list names them',
    })
  }
  for (const { scope, folder } of places) {
    const path = join(folder, `${word}.yaml`)
    if (existsSync(path)) return { name: word, scope, path }
  }
  const near = nearest(
    word,
    listChains(places).map(chain => chain.name),
  )
  const searched = places.map(({ folder }) => folder).join(', ')
  throw new Problem('not-found', `no chain "${word}"`, {
    hint: near === null ? `searched: ${searched}` : `did you mean "${near}"? searched: ${searched}`,
  })
}
