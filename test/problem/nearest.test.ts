import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nearest } from '../../src/problem/nearest.ts'

describe('the word that was meant', () => {
  it.each<[string, string[], string | null]>([
    ['mesages', ['entries', 'messages'], 'messages'],
    ['sesions', ['messages', 'sessions'], 'sessions'],
    ['knd', ['kind', 'cwd'], 'kind'],
    ['kidn', ['kind'], 'kind'],
    ['ikdn', ['kind'], null],
    ['abcdef', ['abcdfe'], 'abcdfe'],
    ['abcdef', ['bacdfe'], 'bacdfe'],
    ['abcdef', ['abxyef'], 'abxyef'],
    ['abcdef', ['axyzef'], null],
    ['abcde', ['axyde'], null],
    ['abcde', ['axcde'], 'axcde'],
    ['abcdefghi', ['abcdefxyz'], 'abcdefxyz'],
    ['abcdefghi', ['abcdewxyz'], null],
    ['at', ['cwd', 'as'], 'as'],
    ['at', ['xy'], null],
    ['a', ['b'], null],
    ['ab', ['b'], null],
    ['a', ['ab'], 'ab'],
    ['sessionId', ['session_id'], 'session_id'],
    ['SESSION-ID', ['session_id'], 'session_id'],
    ['s-e-s_s_i-on_id', ['session_id'], 'session_id'],
    ['a-b-c-d-e-x-g', ['abcdefg'], 'abcdefg'],
    ['abcdexg', ['a-b_c-d_e-f_g'], 'a-b_c-d_e-f_g'],
    ['a-b-c-d-e', ['abxye'], null],
    ['a-b-c-d-e-f-g', ['abcdefg'], 'abcdefg'],
    ['abcdefg', ['a-b_c-d_e-f_g'], 'a-b_c-d_e-f_g'],
    ['dir', ['x', 'directions'], 'directions'],
    ['DIR', ['Directions'], 'Directions'],
    ['di', ['directions'], null],
    ['ections', ['directions'], null],
    ['mess', ['message_text', 'messages'], 'message_text'],
    ['', ['a', 'kind'], null],
    ['kind', [], null],
  ])('%j of %j: %j', (word, candidates, expected) => expect(nearest(word, candidates)).toBe(expected))

  it('is the one with the fewest mistakes, and of several of these the first', () => {
    expect(nearest('abcdef', ['abcdxy', 'abcdex', 'abcdey'])).toBe('abcdex')
    expect(nearest('abcdef', ['abcdey', 'abcdxy', 'abcdex'])).toBe('abcdey')
    expect(nearest('abcdex', ['abxdyx', 'abcde'])).toBe('abcde')
    expect(nearest('abcdex', ['abxdyx', 'abcdxex'])).toBe('abcdxex')
    expect(nearest('abcdex', ['abxdyx', 'abdcex'])).toBe('abdcex')
    expect(nearest('direct', ['directions', 'dirxct'])).toBe('dirxct')
  })

  it('is looked for up to 64 characters', () => {
    const long = 'x'.repeat(64)
    expect(nearest(long, [`${long}y`])).toBe(`${long}y`)
    expect(nearest(`${long}x`, [`${long}y`])).toBeNull()
  })

  const word = fc.stringMatching(/^[a-z]{6,12}$/)

  it('is found through one mistake of any kind at any place', () => {
    fc.assert(
      fc.property(
        word,
        fc.nat(20),
        fc.constantFrom('drop', 'add', 'change', 'swap'),
        (meant, place, mistake) => {
          const at = place % (meant.length - 1)
          const [before, one, two, after] = [
            meant.slice(0, at),
            meant[at],
            meant[at + 1],
            meant.slice(at + 2),
          ]
          const written = {
            drop: `${before}${two}${after}`,
            add: `${before}${one}1${two}${after}`,
            change: `${before}1${two}${after}`,
            swap: `${before}${two}${one}${after}`,
          }[mistake]
          expect(nearest(written, ['0123456789', meant])).toBe(meant)
        },
      ),
    )
  })
})
