import { expect, test } from 'vitest'
import { place } from '../support/coord.ts'
import { at } from '../support/record-builder.ts'
import { nodesOf, treeOf } from '../support/tree.ts'

test('case 6: top, lead and two leads under that lead: depth 2 is depth 2, with the notice', async () => {
  const here = place()
  here.record.start('top', at(0))
  here.record.chain('lead', 'top', 'part', at(1))
  here.record.chain('under-1', 'lead', 'part', at(2))
  here.record.chain('under-2', 'lead', 'part', at(3))
  const tree = await treeOf(here)
  expect(nodesOf(tree.chains).map(({ sessionId, depth }) => [sessionId, depth])).toEqual([
    ['top', 0],
    ['lead', 1],
    ['under-1', 2],
    ['under-2', 2],
  ])
  for (const session of ['under-1', 'under-2']) expect(tree.notices.join('\n')).toContain(session)
  const text = await here.run('tree')
  expect(text.stdout).toContain('level')
})
