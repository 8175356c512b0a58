import { beforeAll, describe, expect, test } from 'vitest'
import { IndexFixture } from './index-fixture.ts'

const fixture = new IndexFixture()

beforeAll(() => {
  const at = (second: number) => `2026-11-01T10:00:0${second}.000Z`
  const sent = { kind: 'message', side: 'sent', outcome: null } as const
  fixture.message('first', {
    session_id: 'A',
    at: at(1),
    ...sent,
    is_queued: 1,
    text_length: 5,
    msg_id: 'm1',
  })
  fixture.message("it's 100%_sure", {
    session_id: 'B',
    at: at(2),
    ...sent,
    is_queued: 0,
    text_length: 20,
    reason: 'refused',
  })
  fixture.message('third', { session_id: 'C', at: at(3), text_length: 30, cwd: '/home/Dev/Ä' })
  fixture.message('a\0b \u{FDD0} \uD800!', { session_id: 'D', at: at(4), text_length: 40, cwd: 'C:\\work' })
})

const found = async (filter: string) => (await fixture.values('messages', 'session_id', filter)).join('')

describe('comparisons', () => {
  test.each([
    ["side = 'sent'", 'AB'],
    ["side == 'sent'", 'AB'],
    ["side != 'sent'", 'CD'],
    ["side <> 'sent'", 'CD'],
    ['text_length < 20', 'A'],
    ['text_length <= 20', 'AB'],
    ['text_length > 2e1', 'CD'],
    ['text_length >= 20.5', 'CD'],
    ['text_length > -1', 'ABCD'],
    ['text_length between 20 and 30', 'BC'],
    ['text_length not between 20 and 30', 'AD'],
    ['text_length in (5, 40)', 'AD'],
    ['text_length not in (5, 40)', 'BC'],
    ["session_id between 'B' and 'C'", 'BC'],
    ["session_id > 'B'", 'CD'],
    ["text = 'it''s 100%_sure'", 'B'],
    ["file like 'A/%.json'", 'A'],
  ])('%s', async (filter, sessions) => expect(await found(filter)).toBe(sessions))
})

describe('booleans and null', () => {
  test.each([
    ['is_queued', 'A'],
    ['not is_queued', 'B'],
    ['is_queued = true', 'A'],
    ['is_queued != true', 'B'],
    ['is_queued = FALSE', 'B'],
    ['is_queued in (true, false)', 'AB'],
    ['is_queued is null', 'CD'],
    ['is_queued is not null', 'AB'],
    ["reason = 'refused' or not (reason = 'refused')", 'B'],
    ['has_text and not is_queued', 'B'],
  ])('unknown is neither true nor false: %s', async (filter, sessions) => {
    expect(await found(filter)).toBe(sessions)
  })
})

describe('like is as in SQLite', () => {
  test.each([
    ["cwd like '/HOME/dev/%'", 'ABC'],
    ["cwd like '/home/dev/Ä'", 'C'],
    ["cwd like '/home/dev/ä'", ''],
    ["text like '_irst'", 'A'],
    ["text like '%!%!_%' escape '!'", 'B'],
    ["text not like '%!_%' escape '!'", 'ACD'],
    ["cwd like 'C:\\%'", 'D'],
    ["text like '%!'", 'D'],
  ])('%s', async (filter, sessions) => expect(await found(filter)).toBe(sessions))
})

describe('and, or, not', () => {
  test.each([
    ["side = 'received' or side = 'sent' and is_queued", 'ACD'],
    ["(side = 'received' or side = 'sent') and text_length < 25", 'AB'],
    ["not side = 'sent' and text_length > 30", 'D'],
    ["not (side = 'sent' and text_length > 10)", 'ACD'],
    ["not not side = 'sent'", 'AB'],
    ["SIDE = 'sent' AND Text_Length BETWEEN 1 AND 10", 'A'],
    ["side='sent'and(is_queued)or\n\ttext_length=30", 'AC'],
  ])('%s', async (filter, sessions) => expect(await found(filter)).toBe(sessions))
})

test('texts that SQLite cannot hold as they are compare and read back exactly', async () => {
  expect(await fixture.values('messages', 'text', "text = 'a\0b \u{FDD0} \uD800!'")).toEqual([
    'a\0b \u{FDD0} \uD800!',
  ])
  expect(await found("text like 'a\0%'")).toBe('D')
})

describe('size', () => {
  test('10,000 terms joined by or give an answer', async () => {
    const filter = Array.from({ length: 10_000 }, (_, index) => `text_length = ${index + 6}`).join(' or ')
    expect(await found(filter)).toBe('BCD')
  })

  test('a list of 15,000 values gives an answer', async () => {
    const list = Array.from({ length: 15_000 }, (_, index) => index).join(', ')
    expect(await found(`text_length in (${list})`)).toBe('ABCD')
  })

  test('the deepest filter that is read also compiles', async () => {
    // An `or` of `and`s on each level, with the next level at the bottom, and as many values as a filter may hold.
    const terms = (operator: string) => Array(159).fill("side = 'sent'").join(` ${operator} `)
    let filter = 'is_queued'
    for (let depth = 0; depth < 50; depth++) filter = `(${terms('or')} or ${terms('and')} and ${filter})`
    await expect(found(`(${filter})`)).rejects.toThrow('nested more than 50 deep')
    expect(await found(filter)).toBe('AB')
  })
})
