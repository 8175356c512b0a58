import { saysNothing, started, unresolved, type Verdict, verdict } from '../../../src/scan/extract/verdict.ts'
import { type JsonObject, pick, textOf } from '../../../src/scan/transcripts/json-row.ts'

/** Whose words a row of Quill holds; null: it holds none. */
export function judge(row: JsonObject): Verdict | null {
  if (row.quill !== 'page') return null
  const text = textOf(row.text) ?? ''
  const words = /^\[\[(.*)\|(.*)\]\]$/.exec(text)?.slice(1).join(' ') ?? text
  const fields = pick(row, 'hand')
  if (row.hand === 'person') return started(verdict('person', 'high', 'inked', words, fields))
  if (row.hand === 'press') return started(verdict('launcher', 'high', 'printed', words, fields))
  if (row.hand === 'two') return started(unresolved(words, 'two_hands', fields))
  return started(saysNothing(words, 'smudged', fields))
}
