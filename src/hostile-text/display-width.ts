import stringWidth from 'string-width'

const ASCII = /^[\x20-\x7e]*$/

/** Terminal columns that an escaped text takes. */
export function displayWidth(escaped: string): number {
  return ASCII.test(escaped) ? escaped.length : stringWidth(escaped, { countAnsiEscapeCodes: true })
}
