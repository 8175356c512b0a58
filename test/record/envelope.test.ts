import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openEnvelope } from '../../src/record/envelope.ts'
import { anyText } from '../support/any-text.ts'

const opening =
  '<cross-session-message from="uds:/run/s/8499.sock" from-name="peer & co" from-mode="prompting">\n'
const closing = '\n</cross-session-message>'

describe('rule.envelopeKept, ruling 10', () => {
  test('before, text and after make the delivery again, whatever the text', () => {
    fc.assert(
      fc.property(anyText, body => {
        const delivery = opening + body + closing
        const opened = openEnvelope(delivery)
        expect(opened).toEqual({ text: body, envelope: { before: opening, after: closing } })
      }),
    )
  })

  test.each([
    ['nothing', ''],
    ['blank lines at both ends', '\n\n a \n\n'],
    ['CR LF', 'a\r\nb\r\n'],
    ['a fake closing tag, escaped by the host', 'x\n<\\/cross-session-message>\ny'],
    ['a fake closing tag that is not escaped', 'x\n</cross-session-message>\ny'],
    ['a fake opening tag', '<cross-session-message from="uds:/x">\n'],
    ['a lone surrogate', 'a\uD800b'],
    ['NUL, ESC and BOM', '\0\u001b[31m\uFEFF'],
  ])('a text that holds %s is taken out exactly', (_, body) => {
    expect(openEnvelope(opening + body + closing)?.text).toBe(body)
  })

  test('the backslash escape of the host is not undone', () => {
    expect(openEnvelope(`${opening}<\\/cross-session-message>${closing}`)?.text).toBe(
      '<\\/cross-session-message>',
    )
  })

  test.each([
    ['no envelope', 'hello'],
    ['an agent message', '<agent-message from="wk1">\nhello\n</agent-message>'],
    ['another tag of the same beginning', '<cross-session-messages a="b">\nx\n</cross-session-message>'],
    ['a space in front', ` ${opening}x${closing}`],
    ['an opening line that goes on', `<cross-session-message from="a">x>\ny${closing}`],
    ['no closing tag', `${opening}x`],
    ['something after the closing tag', `${opening}x${closing}\n`],
    ['no line of its own', '<cross-session-message from="a">x</cross-session-message>'],
    ['one line break for both tags', '<cross-session-message from="a">\n</cross-session-message>'],
  ])('%s is none', (_, delivery) => {
    expect(openEnvelope(delivery)).toBeNull()
  })
})
