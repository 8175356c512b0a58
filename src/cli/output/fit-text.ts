import { displayWidth } from '../../hostile-text/display-width.ts'
import { escapeText } from '../../hostile-text/escape-text.ts'

/** Code units that are looked at for each column of the terminal; keeps a text of megabytes from being measured. */
const UNITS_FOR_EACH_COLUMN = 8
const segmenter = new Intl.Segmenter()

/** The text escaped for a terminal, cut with `…` where it is wider than `width`; whole without one. */
export function fitText(text: string, width?: number): string {
  if (width === undefined) return escapeText(text)
  const most = (width + 1) * UNITS_FOR_EACH_COLUMN
  const isCut = text.length > most
  const escaped = escapeText(isCut ? text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '') : text)
  return isCut ? cutToWidth(escaped, width) : fitEscaped(escaped, width)
}

/** An escaped text, cut with `…` where it is wider than `width`. */
export function fitEscaped(escaped: string, width: number): string {
  return displayWidth(escaped) <= width ? escaped : cutToWidth(escaped, width)
}

/** An escaped text cut to `width` with `…` as its last character. */
export function cutToWidth(escaped: string, width: number): string {
  if (width <= 0) return ''
  let kept = ''
  let used = 0
  for (const { segment } of segmenter.segment(escaped)) {
    const wide = displayWidth(segment)
    if (used + wide > width - 1) break
    kept += segment
    used += wide
  }
  return `${kept}…`
}

/** An escaped text with spaces up to `width`, on the left for `right`-aligned ones. */
export function padText(escaped: string, width: number, align: 'left' | 'right'): string {
  const spaces = ' '.repeat(Math.max(0, width - displayWidth(escaped)))
  return align === 'right' ? spaces + escaped : escaped + spaces
}
