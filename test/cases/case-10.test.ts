import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { place } from '../support/coord.ts'
import { at } from '../support/record-builder.ts'

test('case 10: two indexers at once, 20 times: both end well, and the index is whole', async () => {
  const here = place()
  for (let i = 0; i < 300; i++) here.record.start(`s${i % 30}`, at(i))
  for (let round = 0; round < 20; round++) {
    here.record.start(`new-${round}`, at(1000 + round))
    const first = round % 2 === 0 ? ['index', '--rebuild', '--json'] : ['index', '--json']
    const second = round % 3 === 0 ? ['index', '--rebuild', '--json'] : ['index', '--json']
    const outcomes = await Promise.all([here.run(...first), here.run(...second)])
    for (const { code, stderr } of outcomes) {
      expect(code, stderr).toBe(0)
      expect(stderr).not.toMatch(/damaged|corrupt|malformed|locked|busy/i)
    }
    for (const outcome of outcomes) expect(outcome.json().entries).toBe(301 + round)
  }
  const names = readdirSync(here.cache, { recursive: true, encoding: 'utf8' })
  expect(names.filter(name => name.endsWith('index-v5.db'))).toHaveLength(1)
  expect(names.filter(name => /damaged|corrupt|aside|bad|\.tmp|-journal/i.test(name))).toEqual([])
  const verified = await here.run('verify', '--json')
  expect(verified.code, verified.stdout).toBe(0)
})

test('case 10: readers beside indexers get whole answers', async () => {
  const here = place()
  for (let i = 0; i < 300; i++) here.record.start(`s${i % 30}`, at(i))
  await here.run('index')
  for (let round = 0; round < 5; round++) {
    const [rebuilt, tree, query] = await Promise.all([
      here.run('index', '--rebuild'),
      here.run('tree', '--json'),
      here.run('query', 'entries', '--count', '--no-refresh'),
    ])
    expect(rebuilt.code, rebuilt.stderr).toBe(0)
    expect(tree.json().freshness.entries).toBe(300)
    expect(query.stdout).toBe('300\n')
  }
})
