import fc from 'fast-check'

/** Bodies that act on a terminal where they reach one raw. */
export const HOSTILE = [
  '\x1b[31mred\x1b[0m',
  '\x07bell',
  'password\b\b\b\b\b\b\b\bhidden ',
  '\x1b]52;c;ZXZpbA==\x07',
  '\u202egpj.exe',
  '\u2066a\u2069',
  '\x9b2J',
  '\x7f',
  '\u2028\u2029',
  '\ufeff\u200b\u00ad\u2060',
  '\u{E0041}\u{E007F}',
  '\ud800 \udfff',
  '\0',
  'a\r\nb\tc\vd\f',
]

export const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...HOSTILE, '"', ',', ';', '=1+1', "'", '漢', '👨‍👩‍👧'),
      fc.string({ unit: 'binary', maxLength: 6 }),
    ),
    {
      maxLength: 6,
    },
  )
  .map(parts => parts.join(''))

/** What must never stand raw in an output; written apart from the program's own list. */
export const RAW =
  /[\0-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}\p{Cs}]/u
