import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { placeOf } from '../../src/indexer/place.ts'
import { refreshIndex } from '../../src/indexer/refresh-index.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import { answersOf } from '../support/answers.ts'
import { pause } from '../support/coord.ts'
import { at, fileName, recordBuilder, startFields } from '../support/record-builder.ts'
import { inTempFolder } from '../support/temp-folder.ts'

const session = fc.constantFrom('A', 'B', 'C', 'a')
/** Times before and after each other, so that entries also come under names from long ago. */
const second = fc.integer({ min: -3, max: 6 })
const pick = fc.nat(100)

/** One thing that a person, a session or a sync tool does to a record. */
const operation = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('start' as const), session, second }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('join' as const), session, parent: session, second }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('send' as const), session, peer: session, second }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('torn' as const), session, second }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('complete' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('delete' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('deleteFolder' as const), session }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('renameFolder' as const), session, to: session }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('copyFolder' as const), session, to: session }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('conflict' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('caseTwin' as const), pick, same: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('stray' as const), session, second }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('folderForFile' as const), pick }) },
)
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

/** Does operations to one record; each new entry has a name of its own. */
function actorOn(dir: string) {
  const record = recordBuilder(dir)
  const cwd = '/'
  const torn = new Map<string, string>()
  let count = 0
  const name = (time: string) => {
    count += 1
    // Before and after the names that are there already.
    return fileName(time, `${'zya'[count % 3]}-${count}`)
  }
  const files = () =>
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter(item => item.isFile())
      .map(item => join(item.parentPath, item.name))
      .sort()
  const chosen = (all: string[], pick: number) => all[pick % Math.max(all.length, 1)]

  return function act(op: Operation): void {
    switch (op.does) {
      case 'start': {
        const time = at(op.second)
        record.entry(
          op.session,
          { kind: 'start', sessionId: op.session, at: time, ...startFields },
          name(time),
        )
        return
      }
      case 'join': {
        const time = at(op.second)
        const entry = {
          kind: 'chain',
          sessionId: op.session,
          at: time,
          cwd,
          parent: op.parent,
          part: `part ${count}`,
        }
        record.entry(op.session, entry, name(time))
        return
      }
      case 'send':
        record.sent(op.session, { as: 'x', sessionId: op.peer }, `word ${count}`, at(op.second))
        return
      case 'torn': {
        const time = at(op.second)
        const whole = JSON.stringify({ kind: 'start', sessionId: op.session, at: time, ...startFields })
        torn.set(record.path(record.raw(op.session, name(time), whole.slice(0, 30))), whole)
        return
      }
      case 'complete': {
        const path = chosen(
          files().filter(file => torn.has(file)),
          op.pick,
        )
        if (path) writeFileSync(path, torn.get(path) as string)
        return
      }
      case 'delete': {
        const path = chosen(files(), op.pick)
        if (path) unlinkSync(path)
        return
      }
      case 'deleteFolder':
        rmSync(join(dir, op.session), { recursive: true, force: true })
        return
      case 'renameFolder': {
        if (op.session === op.to || !existsSync(join(dir, op.session))) return
        rmSync(join(dir, op.to), { recursive: true, force: true })
        renameSync(join(dir, op.session), join(dir, op.to))
        return
      }
      case 'copyFolder':
        if (op.session === op.to || !existsSync(join(dir, op.session))) return
        try {
          cpSync(join(dir, op.session), join(dir, op.to), { recursive: true, force: false })
        } catch (error) {
          // A folder in the place of a file, or the other way round: cp stops there, and so does this one.
          if (!/^ERR_FS_CP_/.test((error as NodeJS.ErrnoException).code ?? '')) throw error
        }
        return
      case 'conflict': {
        const path = chosen(
          files().filter(file => file.endsWith('.json')),
          op.pick,
        )
        const conflict = `${path}.conflict-0123456789ab`
        if (path && !existsSync(conflict)) writeFileSync(conflict, 'other')
        return
      }
      case 'caseTwin': {
        const path = chosen(files(), op.pick)
        if (!path) return
        const twin = join(
          path,
          '..',
          (path.split('/').at(-1) as string).replace(/-([a-z])-/, (_, c) => `-${c.toUpperCase()}-`),
        )
        if (!existsSync(twin)) writeFileSync(twin, op.same ? readFileSync(path) : '{}')
        return
      }
      case 'stray': {
        const time = at(op.second)
        record.entry(op.session, { kind: 'start', sessionId: 'stated', at: time, ...startFields }, name(time))
        return
      }
      case 'folderForFile': {
        const path = chosen(files(), op.pick)
        if (!path) return
        unlinkSync(path)
        mkdirSync(path)
      }
    }
  }
}

const stage = fc.array(operation, { maxLength: 8, size: 'max' })
/** What happens to one record: before the first index, between the first and the second, after a rest, at the end. */
const history = fc.tuple(stage, stage, stage, stage)

test('ruling 2: whatever happened between its refreshes, an index answers like one that is built anew', async () => {
  // Many records share one rest, in which their folders grow old enough to be skipped.
  const many = fc.array(history, { minLength: 1, maxLength: 30, size: 'large' })
  await fc.assert(
    fc.asyncProperty(many, async histories => {
      await inTempFolder(async folder => {
        const records = histories.map((stages, i) => {
          const dir = join(folder, `record-${i}`)
          return {
            stages,
            act: actorOn(dir),
            place: placeOf(dir, join(folder, 'cache')),
            fresh: placeOf(dir, join(folder, 'cache-of-fresh')),
          }
        })
        for (const round of [0, 1]) {
          for (const { stages, act, place } of records) {
            for (const op of stages[round] as Operation[]) act(op)
            await refreshIndex(place)
          }
        }
        await pause(2_200)
        // The folders are at rest now: this refresh learns that they may be skipped, the next ones skip them.
        for (const { place } of records) await refreshIndex(place)
        for (const round of [2, 3]) {
          for (const { stages, act, place } of records) {
            for (const op of stages[round] as Operation[]) act(op)
            await refreshIndex(place)
          }
        }
        for (const { place, fresh } of records) {
          await refreshIndex(fresh)
          forgetGone(place.indexPath)
          expect(await answersOf(place)).toEqual(await answersOf(fresh))
        }
      })
    }),
    { numRuns: 10, interruptAfterTimeLimit: 90_000, endOnFailure: true },
  )
})

/** Which entries were there once, only an index that has seen them can know. */
function forgetGone(indexPath: string): void {
  const db = openSqlite(indexPath)
  db.exec('delete from gone')
  db.close()
}
