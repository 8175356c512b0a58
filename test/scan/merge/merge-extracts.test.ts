import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Whole } from '../../../src/scan/extract/extract.ts'
import type { Found } from '../../../src/scan/extract/found.ts'
import { type MergeOptions, mergeExtracts } from '../../../src/scan/merge/merge-extracts.ts'
import { extractWith, foundOf } from '../../support/scan-items.ts'
import { second } from '../../support/transcripts.ts'

const transcript = (found: Partial<Found>[], more: Partial<Whole> = {}) =>
  extractWith(
    found.map((one, seq) => ({
      is: 'message' as const,
      ...foundOf({ seq, offset: seq, keys: [`${more.file}:${seq}`], ...one }),
    })),
    more,
  )
const merge = (extracts: ReturnType<typeof transcript>[], more: Partial<MergeOptions> = {}) =>
  mergeExtracts(extracts, { record: null, isInPeriod: () => true, isInProject: () => true, ...more })
const words = ({ messages }: ReturnType<typeof merge>) => [...messages()].map(({ message }) => message.words)

describe('the messages of all transcripts', () => {
  it('come in the order of time, then of files and places; those without a time first', () => {
    const b = transcript([{ words: '4' }, { words: '5', at: second(1) }, { words: '1', at: null }], {
      file: '/b',
    })
    const a = transcript([{ words: '2' }, { words: '3' }], { file: '/a' })
    const merged = merge([b, a])
    expect(words(merged)).toEqual(['1', '2', '3', '4', '5'])
    expect(words(merged)).toEqual(['1', '2', '3', '4', '5'])
  })

  it('leave no file open, also where nobody reads them to the end', () => {
    const before = readdirSync('/dev/fd').length
    const merged = merge([
      transcript([{ kind: 'history_only' }], { file: '/h' }),
      transcript([{}, { words: 'other' }], { file: '/a' }),
    ])
    expect(readdirSync('/dev/fd')).toHaveLength(before)
    for (const _ of merged.messages()) break
    expect(readdirSync('/dev/fd')).toHaveLength(before)
  })

  it('outside the period are counted by file; one without a time is in every period', () => {
    const a = transcript([{ at: second(0) }, { at: second(1) }, { at: second(9), words: 'in' }], {
      file: '/a',
    })
    const b = transcript([{ at: second(2) }, { at: null, words: 'timeless' }], { file: '/b' })
    const merged = merge([a, b], { isInPeriod: at => at > second(5) })
    expect(words(merged)).toEqual(['timeless', 'in'])
    expect(merged.left).toEqual({
      period: new Map([
        ['/a', 2],
        ['/b', 1],
      ]),
      project: new Map(),
    })
  })

  it('of other projects stay out where a list of typed prompts alone has them', () => {
    const list = ['/shed', '/other', null].map((cwd, at) => ({
      ...{ kind: 'history_only', cwd, session: `${at}`, words: `${cwd}`, at: second(at) },
    }))
    const elsewhere = transcript([{ cwd: '/other', words: 'in a transcript', at: second(9) }], { file: '/a' })
    const merged = merge([transcript(list, { file: '/h' }), elsewhere], {
      isInProject: cwd => cwd === '/shed',
      isInPeriod: at => at >= second(0),
    })
    expect(words(merged)).toEqual(['/shed', 'in a transcript'])
    expect(merged.left).toEqual({ period: new Map(), project: new Map([['/h', 2]]) })
  })
})

describe('a launcher’s words that the person gave first', () => {
  const pair = (person: Partial<Found>, launcher: Partial<Found>) => {
    const { messages } = merge([
      transcript([{ session: 'lead', ...person }], { file: '/a' }),
      transcript([{ label: 'launcher', session: 'part', launchedBy: 'lead', ...launcher }], { file: '/b' }),
    ])
    const [first, second] = [...messages()].map(({ message }) => message)
    return second?.evidence.copyOf === undefined ? null : second.evidence.copyOf === first?.id
  }

  it.each<[string, Partial<Found>, Partial<Found>, boolean | null]>([
    ['in the session that launched this one', {}, {}, true],
    ['in another session', { session: 'x' }, {}, null],
    ['in other words', { words: 'other' }, {}, null],
    ['which are not the person’s', { label: 'peer' }, {}, null],
    ['which are unresolved', { label: 'unresolved' }, {}, null],
    ['of the person’s own', {}, { label: 'person' }, null],
  ])('%s', (_, person, launcher, expected) => {
    expect(pair(person, launcher)).toBe(expected)
  })

  it('that another place than the first tells for a launcher’s', () => {
    const { messages } = merge([
      transcript([{ session: 'lead' }], { file: '/a' }),
      transcript(
        [
          { label: 'unresolved', session: 'part', at: second(1), keys: ['k'] },
          { label: 'launcher', session: 'part', launchedBy: 'lead', at: second(2), keys: ['k'] },
        ],
        { file: '/b' },
      ),
    ])
    const [person, launched] = [...messages()].map(({ message }) => message)
    expect(launched).toMatchObject({ label: 'launcher', evidence: { copyOf: person?.id } })
  })
})
