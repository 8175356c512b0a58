import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { Extract, Finding, Whole } from '../../src/scan/extract/extract.ts'
import { writeExtract } from '../../src/scan/extract/extract-file.ts'
import type { Found, Provisional } from '../../src/scan/extract/found.ts'
import { emptyTrace } from '../../src/scan/extract/turn.ts'
import type { Item, SendItem } from '../../src/scan/merge/item.ts'
import type { Place, Trace } from '../../src/scan/message.ts'
import { tempFolder } from './temp-folder.ts'
import { second } from './transcripts.ts'

export const sha = (text: string): string => hash('sha256', text)

/** What was found at a place, with what a test cares for. */
export function foundOf(more: Partial<Found> = {}): Found {
  return {
    ...{ seq: 0, label: 'person', confidence: 'high', kind: 'typed', words: 'count' },
    ...{ at: second(0), session: 's', cwd: '/home/dev/shed', line: 1, offset: 0, row: 'r1' },
    ...{ fields: {}, keys: ['k'] },
    ...more,
  }
}

export function provisionalOf(more: Partial<Provisional> = {}): Provisional {
  const { seq: _, ...found } = foundOf()
  return { ...found, also: [], ...more }
}

export function traceOf(more: Partial<Trace> = {}): Trace {
  return { ...emptyTrace(), ...more }
}

/** What an extract says of a transcript that nobody wrote. */
export function wholeOf(more: Partial<Whole> = {}): Whole {
  return {
    ...{ revision: 'test', file: '/t/a.jsonl', kind: 'transcript', product: 'claude-code' },
    ...{ identity: '', isSettled: true, size: 0, sha256: '', readTo: 0, lines: 0, malformed: 0 },
    ...{ unfinishedBytes: 0, toolResults: 0, messages: 0, sessions: [], derivedFrom: [], cwds: [] },
    ...{ versions: [], firstAt: null, lastAt: null, findings: { bytes: 0, sha256: sha('') } },
    ...{ damage: null, state: null, provisional: { messages: [], traces: [] } },
    ...more,
  }
}

/** An extract on disk with these findings. */
export function extractWith(findings: Finding[], more: Partial<Whole> = {}): Extract {
  const path = join(tempFolder(), 'x.ndjson')
  const writer = writeExtract(path)
  for (const finding of findings) writer.add(finding)
  const whole = wholeOf({ ...more, findings: writer.added() })
  writer.finish(whole)
  return { path, whole, work: 'read' }
}

export const placeOf = (more: Partial<Place> = {}): Place => ({
  ...{ file: '/t/a.jsonl', line: 1, offset: 0, row: null },
  ...more,
})

/** An item of a transcript that nobody wrote. */
export function itemOf(more: Partial<Item> & { whole?: Partial<Whole> } = {}): Item {
  const { whole, ...own } = more
  return {
    ...{ id: 'id', seq: 0, label: 'person', confidence: 'high', kind: 'typed', saysNothing: false },
    ...{ sha256: sha('count'), at: second(0), session: 's', cwd: '/home/dev/shed' },
    ...{ product: 'claude-code', place: placeOf(), also: [], spot: null, trace: null },
    ...{ provisional: foundOf(), isAbandoned: false },
    extract: { path: '/nowhere', whole: wholeOf(whole), work: 'read' },
    ...own,
  }
}

export function sendOf(more: Partial<SendItem> = {}): SendItem {
  return {
    ...{ msgId: 'm', session: 'sender', at: second(0), sha256: sha('count') },
    place: placeOf({ file: '/t/sender.jsonl', row: 'r' }),
    ...more,
  }
}
