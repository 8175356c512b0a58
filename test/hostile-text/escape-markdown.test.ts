import { describe, expect, it } from 'vitest'
import { escapeMarkdown, escapeMarkdownCell } from '../../src/hostile-text/escape-markdown.ts'

describe('a line of Markdown shows just its characters', () => {
  it.each([
    ['# a', '\\# a'],
    ['###### a', '\\###### a'],
    ['#', '\\#'],
    ['> a', '\\> a'],
    ['>a', '\\>a'],
    ['- a', '\\- a'],
    ['+ a', '\\+ a'],
    ['* a', '\\* a'],
    ['1. a', '1\\. a'],
    ['123456789) a', '123456789\\) a'],
    ['===', '\\==='],
    ['---', '\\---'],
    ['|', '\\|'],
    ['[ ] a', '\\[ ] a'],
    ['`a`', '\\`a\\`'],
    ['$a$', '\\$a\\$'],
    ['*a*', '\\*a\\*'],
    ['_a_', '\\_a\\_'],
    ['~~a~~', '\\~\\~a\\~\\~'],
    ['[a](b)', '\\[a\\](b)'],
    ['![a](b)', '![a\\](b)'],
    ['a [b][c]', 'a [b\\][c]'],
    ['a [b]: c', 'a [b\\]: c'],
    ['a [^1]', 'a \\[^1]'],
    ['a [[b]]', 'a \\[[b]]'],
    ['<b>', '\\<b>'],
    ['</b>', '\\</b>'],
    ['<!-- a', '\\<!-- a'],
    ['<?a', '\\<?a'],
    ['&amp;', '\\&amp;'],
    ['&#65;', '\\&#65;'],
    ['http://a.b', 'http\\://a.b'],
    ['HTTPS://a.b', 'HTTPS\\://a.b'],
    ['ftp://a.b', 'ftp\\://a.b'],
    ['www.a.b', 'www\\.a.b'],
    ['a@b', 'a\\@b'],
    ['\\*', '\\\\\\*'],
    ['a\\', 'a\\\\'],
  ])('%s is written %s', (text, written) => expect(escapeMarkdown(text)).toBe(written))

  it.each([
    '#a',
    'a # b',
    '####### a',
    'a > b',
    '-a',
    'a - b',
    '1.5',
    '1234567890. a',
    'a = b',
    'a --- b',
    'a * b',
    'snake_case_name',
    'ä_ö',
    'a ~ b',
    'a [b] c',
    'a < b',
    'a <1',
    'a & b',
    'a &b',
    'C:\\new',
    'a: //b',
    'a.b',
    'a @ b',
    '2026-11-01 10:00',
    'a | b',
  ])('%s stands as it is', text => expect(escapeMarkdown(text)).toBe(text))

  it('a cell of a table has no bar either', () => {
    expect(escapeMarkdownCell('a | b')).toBe('a \\| b')
    expect(escapeMarkdownCell('# a_b')).toBe('\\# a_b')
  })

  it('hidden characters are escapes, and blanks at the beginning make no code', () => {
    expect(escapeMarkdown('a\u202e\x1b')).toBe('a\\\\u{202e}\\\\x1b'.replaceAll('\\\\', '\\'))
    expect(escapeMarkdown('    a  b')).toBe('\u00a0\u00a0\u00a0\u00a0a  b')
    expect(escapeMarkdown('a\n# b')).toBe('a\\n# b')
  })
})
