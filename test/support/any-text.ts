import fc from 'fast-check'

/** Every string that JavaScript has: whole characters, lone surrogates, control characters, NUL. */
export const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
    .map(units => String.fromCharCode(...units)),
  fc.string({
    unit: fc.constantFrom(
      'a',
      ' ',
      '\n',
      '\r',
      '\0',
      '\u001b',
      '\u202e',
      '\ufdd0',
      '\ud800',
      '"',
      '\\',
      '<',
      "'",
      ',',
    ),
    maxLength: 30,
  }),
)
