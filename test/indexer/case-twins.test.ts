import { expect, it } from 'vitest'
import { caseTwins } from '../../src/indexer/case-twins.ts'
import type { FolderItem } from '../../src/indexer/listing.ts'

const item = (name: string, kind: FolderItem['kind'] = 'entry') =>
  ({ name, kind, nameAt: null, problem: 'p', of: 'o' }) as FolderItem
const all = () => true

it.each<[string, FolderItem[], (name: string) => boolean, Record<string, string>]>([
  ['names that differ in more', [item('a'), item('b')], all, {}],
  ['two', [item('a'), item('A')], all, { a: 'A' }],
  ['three, in whatever order', [item('aA'), item('aa'), item('AA')], all, { aA: 'AA', aa: 'AA' }],
  ['the first that can be read', [item('A'), item('a'), item('aa')], name => name !== 'A', { A: 'a' }],
  ['none that can be read', [item('a'), item('A')], () => false, { a: 'A' }],
  ['one whose name is no entry’s', [item('A', 'misnamed'), item('a')], all, { A: 'a' }],
  ['no entry’s name at all', [item('A', 'misnamed'), item('a', 'misnamed')], all, {}],
  ['what is no file', [item('A', 'refused'), item('a')], all, {}],
  ['a conflict’s file', [item('A', 'conflict'), item('a')], all, {}],
])('%s', (_, items, isReadable, twins) => {
  expect(Object.fromEntries(caseTwins(items, isReadable))).toEqual(twins)
})

it('asks only of names that have a twin', () => {
  const asked: string[] = []
  caseTwins([item('b'), item('a'), item('A')], name => asked.push(name) > 0)
  expect(asked).toEqual(['A'])
})
