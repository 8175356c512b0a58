/** For everything that reaches a terminal. */
export { escapeLines, escapeText } from '../../hostile-text/escape-text.ts'
