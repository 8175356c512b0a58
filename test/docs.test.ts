import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const lines = [
  ...read('docs/rules.md').matchAll(
    /^\| ((?:rule\.|ruling )?\w+) \| (.+) \| (test\/\S+(?:, test\/\S+)*) \|$/gm,
  ),
].map(([, rule = '', , tests = '']) => ({ rule, tests: tests.split(', ') }))
const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter(name =>
  name.endsWith('.test.ts'),
)

describe('docs/rules.md', () => {
  it('has a line for each of the rules that this version keeps', () => {
    expect(lines.length).toBeGreaterThan(35)
    expect(new Set(lines.map(({ rule }) => rule)).size).toBe(lines.length)
  })

  it.each(lines)('$rule is tested by name in $tests', ({ rule, tests }) => {
    for (const test of tests) {
      expect(existsSync(join(root, test)), `${test} is missing`).toBe(true)
      expect(read(test), test).toMatch(new RegExp(`${rule.replace('.', '\\.')}\\b`))
    }
  })

  it('has a line for every rule that a test names', () => {
    const named = new Set(
      tests.flatMap(name =>
        [...read(join('test', name)).matchAll(/rule\.\w+(?=[:,])/g)].map(([rule]) => rule),
      ),
    )
    const known = new Set(lines.map(({ rule }) => rule))
    expect([...named].filter(rule => !known.has(rule))).toEqual([])
  })
})

describe('README.md', () => {
  const readme = read('README.md')

  it('names every command that there is', () => {
    const commands = [...read('src/cli/main.ts').matchAll(/(\w+)Command\b(?=[,\]])/g)].map(
      ([, name = '']) => name,
    )
    expect(commands.length).toBeGreaterThan(8)
    for (const name of commands) expect(readme).toMatch(new RegExp(`coord ${name}\\b`))
  })

  it('shows the two commands that set everything up', () => {
    for (const command of ['npm install && npm start', 'npm install && npm test'])
      expect(readme).toContain(command)
  })

  it('has no link to a file that is not there', () => {
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = '']) => path)
    expect(links.length).toBeGreaterThan(2)
    expect(links.filter(path => !existsSync(join(root, path)))).toEqual([])
  })
})
