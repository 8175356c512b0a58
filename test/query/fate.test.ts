import { describe, expect, it, test } from 'vitest'
import { toStored } from '../../src/database/stored-text.ts'
import type { EntryRow, ScanDeliveryRow, ScanMessageRow } from '../../src/database/tables.ts'
import { FATE, FATE_EVIDENCE } from '../../src/query/fate.ts'
import { EvidenceFixture, later, WORDS } from './attribution/evidence.ts'

type Stage = ScanDeliveryRow['stage']

const ID = 'm-1'

/** An index in which one message was sent by A to T, and scans say what became of it. */
class FateFixture extends EvidenceFixture {
  #deliveries = 0

  /** A sent entry of A, with the host's id. */
  sentOut(more: Partial<EntryRow> = {}): string {
    return this.sent('A', { id: 'T' }, { msg_id: ID, ...more })
  }

  /** A row that a scan found: of a notice in A's transcript, or in T's the message itself. */
  says(
    scan: number,
    stage: Stage,
    { id = ID as string | null, row = {} as Partial<ScanMessageRow>, near = 0 } = {},
  ): void {
    this.#deliveries += 1
    const isRead = stage === 'read'
    const own = isRead
      ? { label: 'peer', kind: 'peer_idle', session_id: 'T', msg_id: id, sender_session_id: 'A' }
      : { label: 'notice', kind: 'delivery_notice', session_id: 'A', words: `notice ${this.#deliveries}` }
    this.found(scan, { message_id: `d${this.#deliveries}`, row: `u-${this.#deliveries}`, ...own, ...row })
    const message = this.sqlite.prepare('select max(id) from scan_message').pluck().get()
    if (id !== null) this.#add('scan_delivery', [scan, message, toStored(id), stage])
    if (!isRead) return
    const times = [near - 600_000, near, near + 600_000].map(later) as [string, string, string]
    const { session_id, sha256 } = this.sqlite
      .prepare('select session_id, sha256 from scan_message where id = ?')
      .get(message) as { session_id: string; sha256: string }
    for (const about of new Set(times.map(time => time.slice(0, '2026-11-01T10:0'.length))))
      this.#add('scan_arrival', [scan, message, session_id, sha256, about, times[0], times[2]])
  }

  #add(table: 'scan_delivery' | 'scan_arrival', values: unknown[]): void {
    const marks = values.map(() => '?').join(', ')
    this.sqlite.prepare(`insert into ${table} values (null, ${marks})`).run(...values)
  }

  /** Fate and evidence of each message, those of A first. */
  async fates(): Promise<unknown[][]> {
    const rows = await this.rows('messages', { select: 'fate,fate_evidence', order: 'session_id' })
    return rows.map(row => [row.fate, row.fate_evidence])
  }

  async fate(): Promise<unknown> {
    return (await this.fates())[0]?.[0]
  }
}

describe('ruling 13: the fate of a sent message', () => {
  test.each<[string, Stage[]]>([
    ['unknown', []],
    ['read', ['read']],
    ['held', ['held']],
    ['released', ['released']],
    ['refused', ['refused']],
    ['denied', ['denied']],
    ['expired', ['expired']],
    ['dropped', ['dropped']],
    ['released', ['held', 'released']],
    ['read', ['held', 'released', 'read']],
    ['read', ['read', 'released', 'held']],
    ['read', ['held', 'read']],
    ['refused', ['held', 'refused']],
    ['denied', ['held', 'denied']],
    ['expired', ['held', 'expired']],
    // What is let through goes into a queue, which may be full.
    ['dropped', ['held', 'released', 'dropped']],
    ['unknown', ['read', 'refused']],
    ['unknown', ['read', 'dropped']],
    ['unknown', ['denied', 'expired']],
    ['unknown', ['released', 'denied']],
    ['unknown', ['released', 'refused']],
    ['unknown', ['released', 'expired']],
  ])('is %s where rows say %j', async (fate, stages) => {
    const here = new FateFixture()
    here.sentOut()
    const scan = here.scan()
    for (const stage of stages) here.says(scan, stage)
    expect(await here.fate()).toBe(fate)
  })

  it('is null where no scan is known, and where the one that was is gone or damaged', async () => {
    const here = new FateFixture()
    here.sentOut()
    expect(await here.fates()).toEqual([[null, null]])
    const scan = here.scan()
    for (const state of ['gone', 'damaged']) {
      here.sqlite.prepare('update result set state = ? where id = ?').run(state, scan)
      expect(await here.fates()).toEqual([[null, null]])
    }
    here.sqlite.prepare(`update result set state = 'read', kind = 'run'`).run()
    expect(await here.fates()).toEqual([[null, null]])
    here.sqlite.prepare(`update result set kind = 'scan'`).run()
    expect(await here.fates()).toEqual([['unknown', null]])
  })

  it('rule.deliveryResult: is null of a message that was not queued, whatever a scan holds', async () => {
    const here = new FateFixture()
    here.sentOut({ is_queued: 0, msg_id: null, reason: 'No agent named' })
    here.says(here.scan(), 'read')
    expect(await here.fates()).toEqual([[null, null]])
  })

  it('is told by the id alone: another id, or none, with the same text says nothing', async () => {
    const here = new FateFixture()
    here.sentOut({ msg_id: 'm-2' })
    here.sentOut({ msg_id: null, at: later(1) })
    here.says(here.scan(), 'read')
    expect(await here.fates()).toEqual([
      ['unknown', null],
      ['unknown', null],
    ])
    // With the id, neither other words nor another session speak against it.
    here.sent('B', { as: 'x' }, { msg_id: ID, text: 'other words', at: later(2) })
    expect((await here.fates())[2]?.[0]).toBe('read')
  })
})

describe('ruling 13: the evidence of a fate', () => {
  const evidence = (stage: Stage, number: number, scan = 1) =>
    `${stage}: msg_id ${ID} in /t/${number}.jsonl line ${number}, row u-${number}, scan /results/${scan}`

  it('is the row that proves the latest stage, whichever was loaded first', async () => {
    const here = new FateFixture()
    here.sentOut()
    const scan = here.scan()
    for (const stage of ['read', 'held', 'released'] as const) here.says(scan, stage)
    expect(await here.fates()).toEqual([['read', evidence('read', 1)]])
  })

  it('is a row of the latest scan that holds one', async () => {
    const here = new FateFixture()
    here.sentOut()
    const [first, latest, second] = [here.scan(later(1)), here.scan(later(3)), here.scan(later(2))]
    for (const scan of [first, latest, second]) here.says(scan, 'held')
    here.says(here.scan(later(4)), 'held', { id: 'm-2' })
    expect(await here.fates()).toEqual([['held', evidence('held', 2, latest)]])
  })

  it('names a row of each where they contradict each other', async () => {
    const here = new FateFixture()
    here.sentOut()
    const scan = here.scan()
    for (const stage of ['held', 'released', 'denied', 'read'] as const) here.says(scan, stage)
    expect(await here.fates()).toEqual([
      ['unknown', [evidence('read', 4), evidence('denied', 3), evidence('released', 2)].join('; ')],
    ])
  })

  it('leaves out the id of a row that has none, and keeps any characters', async () => {
    const here = new FateFixture()
    here.sentOut({ msg_id: 'm\0' })
    here.says(here.scan(), 'read', { id: 'm\0', row: { file: '/t/\ud800\n.jsonl', line: 7, row: null } })
    const [[fate, text] = []] = await here.fates()
    expect([fate, text]).toEqual(['read', 'read: msg_id m\0 in /t/\ud800\n.jsonl line 7, scan /results/1'])
  })
})

describe('ruling 13: the fate of a received message', () => {
  const received = (
    here: FateFixture,
    more: Partial<EntryRow> = {},
    from: { as?: string; id?: string } = { id: 'A' },
  ) => here.received('T', from, more)
  const last = async (here: FateFixture) => (await here.fates()).at(-1)?.[0]

  it('is that of the one message of its session, with its text, near the time it was sent, if the id names the sender', async () => {
    const here = new FateFixture()
    received(here, { outcome: 'rejected' })
    const scan = here.scan()
    here.says(scan, 'read')
    here.says(scan, 'released')
    expect(await here.fates()).toEqual([
      ['read', `read: msg_id ${ID} in /t/1.jsonl line 1, row u-1, scan /results/1`],
    ])
  })

  it.each<[string, (here: FateFixture, scan: number) => void]>([
    ['another session', (here, scan) => here.says(scan, 'read', { row: { session_id: 'U' } })],
    [
      'another text',
      (here, scan) => here.says(scan, 'read', { row: { words: 'other', sha256: 'a'.repeat(64) } }),
    ],
    ['sent at another time', (here, scan) => here.says(scan, 'read', { near: 600_001 })],
    ['sent at another time before', (here, scan) => here.says(scan, 'read', { near: -600_001 })],
    [
      'nobody knows who sent it',
      (here, scan) => here.says(scan, 'read', { row: { sender_session_id: null } }),
    ],
    ['another sender', (here, scan) => here.says(scan, 'read', { row: { sender_session_id: 'B' } })],
    ['the row has no id', (here, scan) => here.says(scan, 'read', { id: null })],
    [
      'two messages fit',
      (here, scan) => {
        here.says(scan, 'read')
        here.says(scan, 'read', { id: 'm-2' })
      },
    ],
    [
      'two messages fit, one of nobody known',
      (here, scan) => {
        here.says(scan, 'read')
        here.says(scan, 'read', { id: null, row: { sender_session_id: null } })
      },
    ],
    [
      'scans name two senders',
      (here, scan) => {
        received(here, {}, { as: 'x' })
        here.says(scan, 'read', { row: { message_id: 'd' } })
        here.says(here.scan(), 'read', { row: { message_id: 'd', sender_session_id: 'B' } })
      },
    ],
    [
      'two entries fit',
      (here, scan) => {
        received(here, { at: later(1) })
        here.says(scan, 'read')
      },
    ],
    ['a notice', (here, scan) => here.says(scan, 'refused', { row: { session_id: 'T', words: WORDS } })],
  ])('is unknown: %s', async (_, tell) => {
    const here = new FateFixture()
    received(here)
    tell(here, here.scan())
    expect(new Set((await here.fates()).map(([fate]) => fate))).toEqual(new Set(['unknown']))
  })

  it('does not need the sender resolved, at either end of the time, nor each scan to know the sender', async () => {
    for (const near of [600_000, -600_000]) {
      const here = new FateFixture()
      received(here, {}, { as: 'uds:/s/1.sock' })
      here.says(here.scan(), 'read', { near, row: { message_id: 'd' } })
      here.says(here.scan(), 'read', { near, row: { message_id: 'd', sender_session_id: null } })
      expect(await last(here)).toBe('read')
    }
  })

  it('is not kept back by entries with the same text of another session, of the other side or at another time', async () => {
    const here = new FateFixture()
    received(here)
    here.received('U', { id: 'A' })
    here.sent('T', { id: 'A' }, { msg_id: 'm-9' })
    received(here, { at: later(600_001) })
    here.says(here.scan(), 'read')
    const rows = await here.rows('messages', { filter: "fate = 'read'", select: 'session_id,side,at' })
    expect(rows).toEqual([{ session_id: 'T', side: 'received', at: later(0) }])
  })
})

describe('questions about fates', () => {
  async function some() {
    const here = new FateFixture()
    const scan = here.scan()
    const stages: (Stage | null)[] = ['read', 'held', null, 'refused', 'read']
    for (const [index, stage] of stages.entries()) {
      here.sentOut({ msg_id: `m-${index}`, at: later(index) })
      if (stage !== null) here.says(scan, stage, { id: `m-${index}` })
    }
    return here
  }

  it('filter, order and count by them', async () => {
    const here = await some()
    const ids = (filter?: string, order?: string) =>
      here.rows('messages', { filter, order, select: 'msg_id' }).then(rows => rows.map(row => row.msg_id))
    expect(await ids("fate in ('read', 'refused')")).toEqual(['m-0', 'm-3', 'm-4'])
    expect(await ids("fate != 'read'")).toEqual(['m-1', 'm-2', 'm-3'])
    expect(await ids("fate_evidence like '%m-1 in%'")).toEqual(['m-1'])
    expect(await ids('fate_evidence is null')).toEqual(['m-2'])
    expect(await ids(undefined, 'fate desc, at desc')).toEqual(['m-2', 'm-3', 'm-4', 'm-0', 'm-1'])
    expect(await here.count('messages', "fate = 'read'")).toBe(2)
  })

  it('look nothing up by reading a table of scans through', async () => {
    const here = await some()
    const plan = here.sqlite
      .prepare(`explain query plan select ${FATE}, ${FATE_EVIDENCE} from entry`)
      .all() as { detail: string }[]
    const looked = plan
      .map(({ detail }) => detail)
      .filter(line => /^(SCAN|SEARCH) (a|d|m|other)\b/.test(line))
    expect(looked.length).toBeGreaterThan(8)
    expect(looked.filter(line => line.startsWith('SCAN'))).toEqual([])
  })
})
