import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Entry } from '../../src/record/entry.ts'
import { type EntryQueueOptions, entryQueue, type RecordingState } from '../../src/writer/entry-queue.ts'
import { nodeStorage } from '../../src/writer/node-storage.ts'
import { at } from '../support/record-builder.ts'
import { tempFolder } from '../support/temp-folder.ts'

const LOAD = '1a2b3c4d'

function entry(text: string, sessionId = 'one', seconds = 0): Entry {
  return {
    ...{ kind: 'message', side: 'sent', sessionId, at: at(seconds), cwd: '/w' },
    ...{ peer: { as: 'somebody' }, text, isQueued: true },
  } as Entry
}

/** A queue on a real folder; `disk` decides what each write meets. */
function bench(options: Partial<EntryQueueOptions> = {}) {
  const recordDir = join(tempFolder(), 'record')
  const queue = entryQueue({ recordDir, load: LOAD, ...options })
  const states: RecordingState[] = []
  const disk = { write: async () => {}, look: async (): Promise<unknown> => undefined }
  const host = {
    storage: {
      async create(path: string, content: string) {
        await disk.write()
        return nodeStorage.create(path, content)
      },
    },
    after(ms: number, act: () => void) {
      const timer = setTimeout(act, ms)
      return () => clearTimeout(timer)
    },
    look: () => disk.look(),
    changed: (state: RecordingState) => void states.push(state),
  }
  const put = (one: Entry | Promise<Entry>, sessionId = 'one', length = 10) =>
    queue.put({ sessionId, entry: one, length }, host)
  /** What the record holds of a session: number, text and how many are missing before it. */
  const written = (sessionId = 'one') => {
    const names = readdirSync(join(recordDir, sessionId))
    return names
      .map(name => {
        const { text, missing } = JSON.parse(readFileSync(join(recordDir, sessionId, name), 'utf8'))
        return { number: Number(/-(\d{6})\.json$/.exec(name)?.[1]), text, missing }
      })
      .sort((a, b) => a.number - b.number)
  }
  return { queue, states, disk, put, written }
}

/** A disk that hangs until it is let go. */
function hanging() {
  let release = () => {}
  const until = new Promise<void>(resolve => {
    release = resolve
  })
  return { write: () => until, release }
}

const fail = async () => {
  throw new Error('ENOSPC: no space left')
}

describe('rule.recordingMayFail: the queue of entries', () => {
  it('writes them one after the other, in the order in which they were put', async () => {
    const { queue, disk, put, written } = bench()
    let running = 0
    let most = 0
    disk.write = async () => {
      most = Math.max(most, ++running)
      await new Promise(resolve => setTimeout(resolve, 1))
      running -= 1
    }
    for (const text of ['a', 'b', 'c']) void put(entry(text))
    expect(queue.state().waiting).toBe(3)
    await queue.drained()
    expect(written().map(({ number, text }) => [number, text])).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ])
    expect(most).toBe(1)
    expect(queue.state()).toEqual({ waiting: 0, lost: 0, degraded: null })
  })

  it('one that is still in the making keeps its place, and holds up what comes after it', async () => {
    const { queue, put, written } = bench()
    let made = (_: Entry) => {}
    void put(
      new Promise<Entry>(resolve => {
        made = resolve
      }),
    )
    void put(entry('second'))
    await new Promise(resolve => setTimeout(resolve, 10))
    made(entry('first'))
    await queue.drained()
    expect(written().map(one => one.text)).toEqual(['first', 'second'])
  })

  it('numbers count for each session by itself', async () => {
    const { queue, put, written } = bench()
    for (const id of ['one', 'two', 'one']) void put(entry('x', id), id)
    await queue.drained()
    expect([written('one'), written('two')].map(all => all.map(one => one.number))).toEqual([[1, 2], [1]])
  })

  it('one put as the last is being finished is written, once', async () => {
    const { queue, put, written } = bench()
    await put(entry('a')).then(() => put(entry('b')))
    await put(entry('c'))
    await queue.drained()
    expect(written().map(one => one.text)).toEqual(['a', 'b', 'c'])
  })

  it('what fails is lost: its number is used up, and the session’s next entry says how many', async () => {
    const { states, disk, put, written } = bench()
    await put(entry('a'))
    disk.write = fail
    expect([await put(entry('b')), await put(entry('c'))]).toEqual([false, false])
    await put(entry('x', 'two'), 'two')
    expect(states.at(-1)).toMatchObject({ lost: 3, degraded: expect.stringContaining('ENOSPC') })
    disk.write = async () => {}
    expect([await put(entry('d')), await put(entry('e'))]).toEqual([true, true])
    expect(written()).toEqual([
      { number: 1, text: 'a', missing: undefined },
      { number: 4, text: 'd', missing: 2 },
      { number: 5, text: 'e', missing: undefined },
    ])
    await put(entry('y', 'two'), 'two')
    expect(written('two')).toEqual([{ number: 2, text: 'y', missing: 1 }])
    expect(states.at(-1)).toMatchObject({ lost: 3, degraded: null })
  })

  it('also where the next one waits already', async () => {
    const { queue, disk, put, written } = bench()
    const { write, release } = hanging()
    let isFirst = true
    disk.write = async () => {
      await write()
      if (isFirst) {
        isFirst = false
        throw new Error('EIO')
      }
    }
    for (const text of ['lost', 'kept', 'kept too']) void put(entry(text))
    release()
    await queue.drained()
    expect(written().map(({ text, missing }) => [text, missing])).toEqual([
      ['kept', 1],
      ['kept too', undefined],
    ])
  })

  it.each([
    ['a promise that is rejected', async () => Promise.reject(new Error('no version')), 'no version'],
    ['no entry', async () => ({ kind: 'start' }) as Entry, 'not one of the record'],
  ])('what cannot be made is lost too: %s', async (_, make, reason) => {
    const { states, put, written } = bench()
    expect(await put(make())).toBe(false)
    expect(states.at(-1)?.degraded).toContain(reason)
    await put(entry('next'))
    expect(written()).toEqual([{ number: 2, text: 'next', missing: 1 }])
  })

  it.each([
    ['entries', { mostWaiting: 2 }, 10],
    ['characters', { mostCharacters: 250 }, 100],
  ])('holds so many %s and no more; what comes then is lost and counted', async (_, options, length) => {
    const { queue, states, disk, put, written } = bench(options)
    const { write, release } = hanging()
    disk.write = write
    for (const text of ['a', 'b']) void put(entry(text), 'one', length)
    expect([await put(entry('c'), 'one', length), await put(entry('d'), 'one', length)]).toEqual([
      false,
      false,
    ])
    expect(states.at(-1)).toEqual({ waiting: 2, lost: 2, degraded: expect.stringContaining('wait') })
    release()
    await queue.drained()
    await put(entry('e'), 'one', length)
    expect(written()).toEqual([
      { number: 1, text: 'a', missing: undefined },
      { number: 2, text: 'b', missing: undefined },
      { number: 5, text: 'e', missing: 2 },
    ])
  })

  it('a single one, however large, has room in an empty queue', async () => {
    const { put } = bench({ mostCharacters: 5 })
    expect(await put(entry('x'), 'one', 1_000)).toBe(true)
  })
})

describe('rule.recordingMayFail: a disk that does not answer', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  it('is degraded after the limit and not before; nothing is lost, and it is well again once it answers', async () => {
    const { queue, states, disk, put, written } = bench({ limitMs: 3_000 })
    const { write, release } = hanging()
    disk.write = write
    void put(entry('a'))
    void put(entry('b'))
    await vi.advanceTimersByTimeAsync(2_999)
    expect(states).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(states).toEqual([{ waiting: 2, lost: 0, degraded: expect.stringContaining('3 seconds') }])
    release()
    await queue.drained()
    expect(queue.state()).toEqual({ waiting: 0, lost: 0, degraded: null })
    expect(written().map(one => one.text)).toEqual(['a', 'b'])
  })

  it('after a slow write that was the last, a look at the folder tells whether it is well', async () => {
    const { queue, disk, put } = bench({ limitMs: 100 })
    disk.write = () => new Promise(resolve => setTimeout(resolve, 200))
    disk.look = () => new Promise(resolve => setTimeout(resolve, 1_000))
    void put(entry('a'))
    await vi.advanceTimersByTimeAsync(201)
    await queue.drained()
    expect(queue.state().degraded).not.toBeNull()
    await vi.advanceTimersByTimeAsync(3_001)
    expect(queue.state().degraded).not.toBeNull()
    disk.look = () => Promise.reject(new Error('ENOTCONN'))
    await vi.advanceTimersByTimeAsync(2_001)
    expect(queue.state().degraded).not.toBeNull()
    disk.look = async () => undefined
    await vi.advanceTimersByTimeAsync(2_001)
    expect(queue.state().degraded).toBeNull()
  })
})
