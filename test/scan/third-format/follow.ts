import { addOnce, happened, said, type Turn } from '../../../src/scan/extract/turn.ts'
import { type JsonObject, textOf } from '../../../src/scan/transcripts/json-row.ts'

/** Takes in what a row of Quill says of the turn that runs. */
export function follow(turn: Turn, row: JsonObject): void {
  if (row.quill === 'erased') happened(turn, trace => addOnce(trace.filesEdited, textOf(row.file) ?? ''))
  if (row.quill === 'ran')
    happened(turn, trace => trace.commands.push({ command: textOf(row.command) ?? '', exit: 0 }))
  if (row.quill === 'reply') said(turn, textOf(row.text) ?? '')
}
