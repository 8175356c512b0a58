import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isJoinNotice, joinNotice } from '../../src/record/join-notice.ts'
import { digestText } from '../../src/record/text-digest.ts'
import { anyText } from '../support/any-text.ts'

const lead = { sessionId: '6a6bf114-3c1f-4b52-9f65-0f3a2b1c4d5e', part: 'port the scan' }

describe('rule.joinTellsParent: the notice', () => {
  test('names the session id and the part, in one line', () => {
    expect(joinNotice(lead)).toContain(lead.sessionId)
    expect(joinNotice(lead)).toContain(lead.part)
    expect(joinNotice(lead)).not.toContain('\n')
  })

  test('is told from every other text, whatever the part', () => {
    fc.assert(
      fc.property(anyText, anyText, (part, other) => {
        const text = joinNotice({ ...lead, part })
        expect(isJoinNotice({ text }, { ...lead, part })).toBe(true)
        expect(isJoinNotice({ text: `${text} ` }, { ...lead, part })).toBe(false)
        expect(isJoinNotice({ text }, { ...lead, part: other })).toBe(other === part)
      }),
    )
  })

  test('is told also where metadata mode kept only its hash', () => {
    const { textSha256 } = digestText(joinNotice(lead))
    expect(isJoinNotice({ textSha256 }, lead)).toBe(true)
    expect(isJoinNotice({ textSha256: digestText('report').textSha256 }, lead)).toBe(false)
  })

  test('the text decides where there is a text, not the hash beside it', () => {
    const text = joinNotice(lead)
    const { textSha256 } = digestText(text)
    expect(isJoinNotice({ text, textSha256: 'a'.repeat(64) }, lead)).toBe(true)
    expect(isJoinNotice({ text: '', textSha256 }, lead)).toBe(false)
    expect(isJoinNotice({ text: `${text}\nAnd this.` }, lead)).toBe(false)
  })

  test('another session with the same part has another notice', () => {
    expect(isJoinNotice({ text: joinNotice(lead) }, { ...lead, sessionId: 'other' })).toBe(false)
  })

  test('a message with neither text nor hash is none', () => {
    expect(isJoinNotice({}, lead)).toBe(false)
  })
})
