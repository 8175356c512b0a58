import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The licence texts of every package that esbuild put into a bundle, as their licences ask; `root` holds node_modules. */
export function licencesOf(root, { inputs }) {
  const packages = new Set(
    Object.keys(inputs).flatMap(path => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  )
  return [...packages]
    .sort()
    .map(folder => licenceOf(join(root, folder)))
    .join('\n\n')
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find(entry => /^licen[cs]e/i.test(entry))
  if (file === undefined)
    throw new Error(`${folder} has no file with its licence, which the bundle has to carry`)
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8')}`.trimEnd()
}
