import { expect, test } from 'vitest'
import { place } from '../support/coord.ts'
import { at } from '../support/record-builder.ts'
import { treeOf } from '../support/tree.ts'

test('case 5: a parent that has no folder stands in the tree as a boundary, the child under it', async () => {
  const here = place()
  here.record.chain('child', 'has-no-folder', 'a part', at(0))
  expect((await treeOf(here)).chains).toMatchObject([
    {
      sessionId: 'has-no-folder',
      role: 'boundary',
      children: [{ sessionId: 'child', role: 'lead', parent: 'has-no-folder', part: 'a part', children: [] }],
    },
  ])
  const { stdout } = await here.run('tree')
  expect(stdout.indexOf('has-no-folder')).toBeGreaterThanOrEqual(0)
  expect(stdout.indexOf('child')).toBeGreaterThan(stdout.indexOf('has-no-folder'))
})
