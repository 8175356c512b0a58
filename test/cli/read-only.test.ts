import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { place, until } from '../support/coord.ts'
import { at, resolved } from '../support/record-builder.ts'

/** Every name, size, time of change and content below a folder. */
function snapshot(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .sort()
    .map(name => {
      const path = join(dir, name)
      const { size, mtimeMs, ctimeMs, ino } = lstatSync(path)
      const content = lstatSync(path).isFile() ? readFileSync(path, 'hex') : ''
      return [name, size, mtimeMs, ctimeMs, ino, content].join(' ')
    })
}

test('rule.neverPruned, rule.readOnly: no command that answers or indexes changes anything in the record', async () => {
  const here = place()
  const { record } = here
  record.start('top', at(0))
  record.start('lead', at(1))
  record.chain('lead', 'top', 'parse', at(2))
  const sent = record.sent('lead', resolved('top'), 'done', at(3))
  record.raw('lead', '2026-11-01T100009.000Z-torn.json', '{"kind":')
  record.raw('lead', 'notes.txt', 'mine')
  record.raw('copy', sent.split('/')[1] as string, readFileSync(record.path(sent)))
  const before = snapshot(record.dir)

  const watch = here.start({}, 'watch')
  await until('the watch has started', () => watch.stderr().includes('watching'))
  for (const args of [
    ['index'],
    ['index', '--rebuild'],
    ['tree'],
    ['query', 'messages', "text match 'done'"],
    ['query', 'unreadable'],
    ['attribute', '--text', 'done'],
    ['attribute', '--entry', sent],
    ['verify'],
    ['doctor'],
  ]) {
    await here.run(...args)
  }
  watch.kill('SIGTERM')
  expect((await watch.ended).code).toBe(0)
  expect(snapshot(record.dir)).toEqual(before)
})
