import { describe, expect, it } from 'vitest'
import { originalSends } from '../../../src/scan/merge/original-sends.ts'
import { itemOf, placeOf, sendOf } from '../../support/scan-items.ts'

const send = (file: string, session: string, more: { msgId?: string; row?: string | null } = {}) => {
  const { msgId = 'm', row = 'r' } = more
  return sendOf({ msgId, session, place: placeOf({ file, row }) })
}
const extracts = (...copies: string[]) =>
  ['a', 'b', 'copy'].map(
    file => itemOf({ whole: { file, derivedFrom: copies.includes(file) ? ['first'] : [] } }).extract,
  )
const filesOf = (sends: ReturnType<typeof send>[], ...copies: string[]) =>
  originalSends(sends, extracts(...copies)).map(({ place, session }) => `${place.file} ${session}`)

describe('what a copied transcript sent was sent once', () => {
  it.each([
    ['after its original', [send('a', 'first'), send('copy', 'second')], ['a first']],
    ['before its original', [send('copy', 'second'), send('a', 'first')], ['a first']],
    ['alone', [send('copy', 'second')], ['copy second']],
    ['a row that the original has not', [send('a', 'x'), send('copy', 'y', { row: 'q' })], ['a x', 'copy y']],
    ['another id', [send('a', 'x'), send('copy', 'y', { msgId: 'n' })], ['a x', 'copy y']],
    ['twice', [send('copy', 'x'), send('copy', 'y')], ['copy x']],
  ])('a copy %s', (_, sends, expected) => {
    expect(filesOf(sends, 'copy')).toEqual(expected)
  })

  it('where nothing tells which of two is the copy, both sessions may be the sender, each once', () => {
    expect(filesOf([send('a', 'x'), send('b', 'y'), send('copy', 'x')])).toEqual(['a x', 'b y'])
  })
})
