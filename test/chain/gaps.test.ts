import { renameSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { joinNotice } from '../../src/record/join-notice.ts'
import { place } from '../support/coord.ts'
import { type LoadBuilder, loadOf } from '../support/load-builder.ts'
import { at, fileName, type RecordBuilder, resolved } from '../support/record-builder.ts'
import { nodeOf } from '../support/tree.ts'
import { treeInProcess } from '../support/tree-in-process.ts'

const parent = resolved('top')

/** The mark of a lead with a top above it, of which `write` makes the record. */
async function markOf(write: (load: LoadBuilder, record: RecordBuilder) => void) {
  const here = place()
  loadOf(here.record, 'top').start(at(0))
  write(loadOf(here.record, 'lead'), here.record)
  return nodeOf(await treeInProcess(here), 'lead').sentParentSinceJoin
}

/** A lead that started at 1 and joined at 2, with the numbers 1 and 2. */
function joined(load: LoadBuilder): LoadBuilder {
  load.start(at(1))
  load.chain('top', 'the part', at(2))
  return load
}

describe('rule.chainCommand, ruling 8: what the record itself shows as a gap makes "no" unknown', () => {
  const unknown: [string, (load: LoadBuilder, record: RecordBuilder) => void][] = [
    [
      'a number is missing since the join',
      load => {
        joined(load).lose()
        load.received(parent, 'brief', at(5))
      },
    ],
    [
      'a number is missing before an entry that is older than the join and was numbered after it',
      load => {
        joined(load).lose()
        load.sent(resolved('other'), 'hello', at(1.5))
      },
    ],
    [
      'the first numbers of a load since the join are missing',
      (load, record) => {
        joined(load)
        const later = loadOf(record, 'lead', '5e6f7a8b')
        later.lose(2)
        later.received(parent, 'brief', at(5))
      },
    ],
    [
      'an entry since the join says that some before it could not be written',
      load => void joined(load).received(parent, 'brief', at(5), { missing: 2 }),
    ],
    [
      'such an entry is a message that is older than the join and was numbered after it',
      load => void joined(load).sent(resolved('other'), 'hello', at(1.5), { missing: 1 }),
    ],
    [
      'the mod was loaded into the running session since the join',
      (load, record) => {
        joined(load)
        const later = loadOf(record, 'lead', '5e6f7a8b')
        later.start(at(5), 'reload')
        later.received(parent, 'brief', at(6))
      },
    ],
    [
      'such a message was not queued, and says the same',
      load => {
        const more = { missing: 1, isQueued: false, reason: 'refused' }
        joined(load).sent(resolved('other'), 'hello', at(1.5), more)
      },
    ],
    [
      'a load since the join begins with an entry that is no start entry',
      (load, record) => {
        joined(load)
        loadOf(record, 'lead', '5e6f7a8b').received(parent, 'brief', at(5))
      },
    ],
    [
      'a load that gives no cause counts on over numbers since the join',
      load => {
        joined(load).lose()
        load.start(at(5), null)
      },
    ],
    [
      'the clock went back between two entries since the join',
      load => {
        joined(load).received(parent, 'brief', at(9))
        load.received(parent, 'more', at(5))
      },
    ],
    [
      'the clock went back between a message and a later entry',
      load => {
        joined(load).sent(resolved('other'), 'hello', at(9))
        load.received(parent, 'more', at(5))
      },
    ],
    [
      'the clock went back right after the join, so that what followed it is older',
      load => void joined(load).received(parent, 'brief', at(1.5)),
    ],
    [
      'the clock went back before the join, so that older entries follow it',
      load => {
        load.start(at(9))
        load.chain('top', 'the part', at(5))
      },
    ],
    [
      'a message to the parent has a higher number than the join and an older time',
      load => void joined(load).sent(parent, 'report', at(1.5)),
    ],
    [
      'a message to nobody known has a higher number than the join and an older time',
      load => void joined(load).sent('boss', 'report', at(1.5)),
    ],
    [
      'a message to the parent was numbered after the join and bears its time',
      load => void joined(load).sent(parent, 'report', at(2)),
    ],
    [
      'a message to the parent has a lower number than the join and a later time',
      load => {
        load.start(at(1))
        load.sent(parent, 'report', at(9))
        load.chain('top', 'the part', at(2))
      },
    ],
    [
      'an unreadable file is older than the join and has a higher number',
      (load, record) => {
        joined(load)
        record.raw('lead', fileName(at(1.5), '1a2b3c4d-000003'), '{"kind":"mess')
      },
    ],
    [
      'a placeholder stands where an entry since the join was',
      (load, record) => {
        const file = joined(load).received(parent, 'brief', at(5))
        renameSync(record.path(file), record.path(file.replace('lead/', 'lead/.').concat('.icloud')))
      },
    ],
  ]
  test.each(unknown)('unknown: %s', async (_, write) => {
    expect(await markOf(write)).toBe('unknown')
  })

  const no: [string, (load: LoadBuilder, record: RecordBuilder) => void][] = [
    ['nothing is missing', load => void joined(load).received(parent, 'brief', at(5))],
    [
      'a number is missing before the join',
      load => {
        load.start(at(1))
        load.lose(3)
        load.chain('top', 'the part', at(2))
      },
    ],
    [
      'a number is missing in an earlier load',
      (load, record) => {
        const earlier = loadOf(record, 'lead', '5e6f7a8b')
        earlier.start(at(0.1))
        earlier.lose()
        earlier.received(parent, 'hello', at(0.3))
        joined(load)
      },
    ],
    [
      'a number is missing in an earlier load, before a message and what came after it',
      (load, record) => {
        const earlier = loadOf(record, 'lead', '5e6f7a8b')
        earlier.start(at(0.1))
        earlier.lose()
        earlier.sent(resolved('other'), 'hello', at(0.3))
        earlier.received(parent, 'hello', at(0.4))
        joined(load)
      },
    ],
    [
      'the join itself says that some before it could not be written',
      load => {
        load.start(at(1))
        load.chain('top', 'the part', at(2), { missing: 3 })
      },
    ],
    [
      'the mod was loaded into the running session before the join',
      (load, record) => {
        loadOf(record, 'lead', '5e6f7a8b').start(at(0.1))
        load.start(at(1), 'reload')
        load.chain('top', 'the part', at(2))
      },
    ],
    [
      'the load of the join begins with it, in a session that was covered before',
      (load, record) => {
        loadOf(record, 'lead', '5e6f7a8b').start(at(0.1))
        load.chain('top', 'the part', at(2))
      },
    ],
    [
      'the session was started again since',
      (load, record) => {
        joined(load)
        loadOf(record, 'lead', '5e6f7a8b').start(at(5), 'resume')
      },
    ],
    [
      'the clock went back before the join, and what it confused is older',
      load => {
        load.start(at(1.5))
        load.received(parent, 'hello', at(1))
        load.chain('top', 'the part', at(2))
      },
    ],
    [
      'a message that was answered late has the next number but one, and that came too',
      load => {
        joined(load).received(parent, 'brief', at(6))
        load.sent(resolved('other'), 'hello', at(5))
        load.received(parent, 'more', at(7))
      },
    ],
    [
      'a message to another session has a higher number than the join and an older time',
      load => void joined(load).sent(resolved('other'), 'hello', at(1.5)),
    ],
    [
      'a message to the parent that was not queued has a higher number and an older time',
      load => void joined(load).sent(parent, 'report', at(1.5), { isQueued: false, reason: 'refused' }),
    ],
    [
      'only the notice was sent, in the millisecond of the join',
      load => {
        const text = joinNotice({ sessionId: 'lead', part: 'the part' })
        joined(load).sent(parent, text, at(2))
      },
    ],
    [
      'a number is missing of another session',
      (load, record) => {
        joined(load)
        const top = loadOf(record, 'top', '5e6f7a8b')
        top.lose()
        top.received(resolved('lead'), 'hello', at(5))
      },
    ],
    [
      'names that are no load’s numbering leave numbers out',
      (load, record) => {
        joined(load)
        const entry = {
          kind: 'start',
          sessionId: 'lead',
          at: at(5),
          cwd: '/',
          host: 'h',
          version: '1',
          inbound: 'u',
        }
        for (const sequence of ['load-000007', '1A2B3C4D-000009', '1a2b3c4d-09', '1a2b3c4d-000000', '000009'])
          record.entry('lead', entry, fileName(at(5), sequence))
      },
    ],
  ]
  test.each(no)('no: %s', async (_, write) => {
    expect(await markOf(write)).toBe('no')
  })

  test('rule.laterJoinReplaces: a gap before the join that counts says nothing of it', async () => {
    const mark = await markOf(load => {
      joined(load).received(parent, 'brief', at(3), { missing: 1 })
      load.lose()
      load.chain('top', 'another part', at(5))
    })
    expect(mark).toBe('no')
  })

  test('a "yes" stays, whatever is missing beside it', async () => {
    const mark = await markOf((load, record) => {
      joined(load).sent(parent, 'report', at(3))
      load.lose()
      load.received(parent, 'brief', at(5), { missing: 2 })
      loadOf(record, 'lead', '5e6f7a8b').start(at(6), 'reload')
      record.raw('lead', 'whenever.json', '{')
    })
    expect(mark).toBe('yes')
  })

  test('what the index has seen and sees no more is unknown, until it is back', async () => {
    const here = place()
    loadOf(here.record, 'top').start(at(0))
    const load = joined(loadOf(here.record, 'lead'))
    const last = load.received(parent, 'brief', at(5))
    const mark = async () => nodeOf(await treeInProcess(here), 'lead').sentParentSinceJoin
    expect(await mark()).toBe('no')
    renameSync(here.record.path(last), `${here.dir}/aside`)
    expect(await mark()).toBe('unknown')
    expect(await mark()).toBe('unknown')
    renameSync(`${here.dir}/aside`, here.record.path(last))
    expect(await mark()).toBe('no')
  })

  test('an entry that is gone and older than the join hides nothing', async () => {
    const here = place()
    loadOf(here.record, 'top').start(at(0))
    const load = loadOf(here.record, 'lead')
    load.start(at(1))
    const early = load.received(parent, 'hello', at(1.5))
    load.chain('top', 'the part', at(2))
    await treeInProcess(here)
    rmSync(here.record.path(early))
    expect(nodeOf(await treeInProcess(here), 'lead').sentParentSinceJoin).toBe('no')
  })
})
