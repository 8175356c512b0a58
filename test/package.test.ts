import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { join, resolve } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { packed } from './support/packed.ts'
import { sharedTempFolder } from './support/temp-folder.ts'

const ROOT = resolve(import.meta.dirname, '..')
const { file, folder } = packed(sharedTempFolder())
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const files = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
  .filter(entry => entry.isFile())
  .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
const program = files.filter(name => /^dist\/.*\.js$/.test(name)).map(name => join(folder, name))
const text = (name: string) => readFileSync(join(folder, name), 'utf8')

/** The packages that a file of dist asks Node for when it runs: what was bundled is not among them. */
function packagesAskedFor(path: string): string[] {
  const found: string[] = []
  const look = (node: ts.Node): void => {
    const specifier = specifierOf(node)
    if (specifier !== null && !/^\.|^node:/.test(specifier) && !isBuiltin(specifier))
      found.push((/^(?:@[^/]+\/)?[^/]+/.exec(specifier) as RegExpExecArray)[0])
    node.forEachChild(look)
  }
  look(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, false))
  return found
}

/** What an import, a re-export, `import()`, `require()` or `require.resolve()` names; null for everything else. */
function specifierOf(node: ts.Node): string | null {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node))
    return node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier) ? node.moduleSpecifier.text : null
  if (!ts.isCallExpression(node)) return null
  const [argument] = node.arguments
  const called = ts.isPropertyAccessExpression(node.expression) ? node.expression.expression : node.expression
  const loads =
    called.kind === ts.SyntaxKind.ImportKeyword ||
    (ts.isIdentifier(called) && /^(__)?require(?!d)\w*$/.test(called.text))
  return loads && argument && ts.isStringLiteralLike(argument) ? argument.text : null
}

describe('the packed package', () => {
  it('depends on what dist asks for and does not bundle, and on nothing else', () => {
    const asked = new Set(program.flatMap(packagesAskedFor))
    const carried: string[] = manifest.bundleDependencies
    expect(Object.keys(manifest.dependencies).filter(name => !carried.includes(name))).toEqual([...asked])
    for (const name of ['optionalDependencies', 'peerDependencies']) expect(manifest).not.toHaveProperty(name)
  })

  it('carries the node-gyp that takes the headers beside Node, so that -g compiles without a download', () => {
    const [name] = manifest.bundleDependencies
    const own = join('node_modules', name)
    for (const part of readdirSync(join(ROOT, 'scripts/node-gyp')))
      expect(text(join(own, part)), part).toBe(readFileSync(join(ROOT, 'scripts/node-gyp', part), 'utf8'))
    expect(JSON.parse(text(join(own, 'package.json')))).toMatchObject({
      name,
      bin: { 'node-gyp': 'node-gyp.cjs' },
    })
  })

  it('holds the program, the plugins and what is read, and nothing of how they are made', () => {
    expect(readdirSync(folder).sort()).toEqual(
      '.claude-plugin CHANGELOG.md LICENSE README.md chains dist docs node_modules package.json plugins'.split(
        ' ',
      ),
    )
    expect(readdirSync(join(folder, 'node_modules'))).toEqual(manifest.bundleDependencies)
    expect(
      files.filter(name => /\.map$|\.ts$|(^|\/)tests?\/|(^|\/)(corpus|src)\/|tsconfig/.test(name)),
    ).toEqual([])
    expect(program.filter(path => readFileSync(path, 'utf8').includes('sourceMappingURL'))).toEqual([])
  })

  it('holds every entry that files, bin and exports name', () => {
    const named = [...manifest.files, ...Object.values(manifest.bin), ...Object.values(manifest.exports)]
    const wanted = named.filter((name: string) => !name.startsWith('!'))
    expect(wanted.length).toBeGreaterThan(9)
    expect(wanted.filter((name: string) => !existsSync(join(folder, name)))).toEqual([])
    for (const name of Object.values<string>(manifest.bin))
      expect(text(name)).toMatch(/^#!\/usr\/bin\/env node\n/)
    const require = createRequire(join(folder, 'dist/coord.js'))
    for (const [name, target] of Object.entries<string>(manifest.exports))
      expect(require.resolve(`${manifest.name}/${name.slice(2)}`)).toBe(join(folder, target))
  })

  it('ships the licence text of every package that dist or the mod holds', () => {
    const sections = new Map(
      text('dist/THIRD-PARTY-LICENSES.txt')
        .split(/^(?=\S+ \d+\.\d+\.\d+\S* \(.+\)$)/m)
        .map(section => [section.split(' ')[0], section]),
    )
    const bundled = program.flatMap(path =>
      [...readFileSync(path, 'utf8').matchAll(/^\/\/ node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/gm)].map(
        ([, name]) => name,
      ),
    )
    expect(new Set(bundled).size).toBeGreaterThan(20)
    for (const name of new Set(bundled)) expect(sections.get(name), name).toMatch(/permi(t|ssion)|license/i)
    for (const [name, section] of sections) expect(section.length, name).toBeGreaterThan(300)
  })

  it('is small', () => {
    expect(statSync(file).size).toBeLessThan(1_000_000)
    expect(files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)).toBeLessThan(5_000_000)
  })
})

describe('package-lock.json', () => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))

  it('holds no address to download from: whichever registry a person uses is asked', () => {
    const addresses = Object.entries<{ resolved?: string }>(lock.packages).flatMap(([name, { resolved }]) =>
      resolved === undefined ? [] : [[name, resolved]],
    )
    expect(addresses).toEqual([['node_modules/node-gyp-with-local-headers', 'file:scripts/node-gyp']])
  })
})
