import { join } from 'node:path'
import { expect, test } from 'vitest'
import { place } from '../support/coord.ts'
import { at, fileName, recordBuilder, startFields } from '../support/record-builder.ts'
import { nodeOf, treeOf } from '../support/tree.ts'

test('ruling 12: a record copied from another machine, half of it known here: nothing counts twice, nothing is lost', async () => {
  const here = place()
  const there = recordBuilder(join(here.dir, 'there'))
  const start = (session: string, cwd: string) =>
    JSON.stringify({ kind: 'start', sessionId: session, at: at(0), ...startFields, cwd })
  // Known on both machines, the same file; the same name with other bytes; and a name that differs in case.
  for (const record of [here.record, there]) record.raw('both', fileName(at(0), 'same'), start('both', '/'))
  here.record.raw('both', fileName(at(1), 'conflict'), start('both', '/here'))
  there.raw('both', fileName(at(1), 'conflict'), start('both', '/there'))
  here.record.raw('both', fileName(at(2), 'case'), start('both', '/'))
  there.raw('both', fileName(at(2), 'CASE'), start('both', '/'))
  here.record.chain('lead', 'parent', 'here', at(3))
  there.start('parent', at(1))
  there.chain('lead-there', 'parent', 'there', at(3))
  there.start('both', '2019-01-01T00:00:00.000Z')

  const before = await treeOf(here)
  expect(nodeOf(before, 'parent').role).toBe('boundary')
  const imported = (await here.run('import', there.dir, '--json')).json()
  expect(imported).toMatchObject({ added: expect.any(Number), same: expect.any(Number) })
  expect(imported.conflicts).toHaveLength(1)

  const outcome = await here.run('tree', '--json')
  expect(outcome.code).toBe(8)
  const tree = outcome.json()
  expect(nodeOf(tree, 'parent')).toMatchObject({ role: 'top' })
  expect(
    nodeOf(tree, 'parent')
      .children.map(node => node.sessionId)
      .sort(),
  ).toEqual(['lead', 'lead-there'])
  const { rows } = (await here.run('query', 'sessions', "session_id = 'both'", '--json')).json()
  // The same file once, the kept one of the conflict, the pair that differs in case once, and the one from 2019.
  expect(rows).toMatchObject([{ entries: 4, first_heard: '2019-01-01T00:00:00.000Z' }])
  const index = (await here.run('index', '--json')).json()
  expect(index.files.conflicts).toBe(1)
  const rebuilt = (await here.run('index', '--rebuild', '--json')).json()
  expect({ ...rebuilt.files, added: 0 }).toEqual({ ...index.files, added: 0 })
})
