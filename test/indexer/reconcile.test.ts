import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Change } from '../../src/indexer/loading.ts'
import { placeOf } from '../../src/indexer/place.ts'
import { refreshIndex } from '../../src/indexer/refresh-index.ts'
import { watchRecord } from '../../src/indexer/watch-record.ts'
import { until } from '../support/coord.ts'
import { at, recordBuilder, startFields } from '../support/record-builder.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('a watch looks at every file now and then, and so finds what was changed in place in a folder at rest', async () => {
  const dir = tempFolder()
  const record = recordBuilder(join(dir, 'record'))
  const place = placeOf(record.dir, join(dir, 'cache'))
  const file = record.start('s', at(0))
  await sleep(2_100)
  await refreshIndex(place)
  const entry = { kind: 'start', sessionId: 's', at: at(0), ...startFields, host: 'another' }
  writeFileSync(record.path(file), JSON.stringify(entry))
  expect((await refreshIndex(place)).work.filesOpened).toBe(0)

  const changes: Change[] = []
  const notes: string[] = []
  const end = new AbortController()
  const watch = watchRecord(place, {
    signal: end.signal,
    reconcileMs: 100,
    report: { change: change => changes.push(change), note: note => notes.push(note) },
    onRefresh: () => {},
    onFailure: error => notes.push(String(error)),
  })
  await until('the change is found', () => changes.length > 0)
  end.abort()
  await watch
  expect(changes).toMatchObject([{ change: 'added', file }])
  expect(notes.join()).toContain('was rewritten')
})
