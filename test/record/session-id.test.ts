import { describe, expect, test } from 'vitest'
import { isSessionId } from '../../src/record/session-id.ts'

describe('ids', () => {
  test.each([
    '6a6bf114-3c1f-4b52-9f65-0f3a2b1c4d5e',
    'session_01ABCdef',
    'a',
    '0',
    'A-_',
    'a'.repeat(128),
    'con',
    'constructor',
  ])('%s is a full session id', id => {
    expect(isSessionId(id)).toBe(true)
  })

  test.each([
    '',
    '.',
    '..',
    '../../etc/x',
    '/etc/x',
    'a/b',
    'a\\b',
    'C:x',
    'a.b',
    '-rf',
    '_a',
    '~',
    'a b',
    ' a',
    'a ',
    'a\n',
    '\na',
    'a\0',
    'a\u202Eb',
    'é',
    'ａ',
    '١',
    '__proto__',
    'a'.repeat(129),
    'uds:/run/1.sock',
    'twin [c735cd]',
  ])('case 13: %j is none', id => {
    expect(isSessionId(id)).toBe(false)
  })
})
