import { hash } from 'node:crypto'
import type { Findings, RowReader } from '../../../src/scan/extract/found.ts'
import { closed, emptyTrace, endTurn, noTurn, type Turn } from '../../../src/scan/extract/turn.ts'
import { momentOf, textOf } from '../../../src/scan/transcripts/json-row.ts'
import { follow } from './follow.ts'
import { judge } from './judge.ts'

interface QuillState {
  session: string
  turn: Turn
}

/** Reads the rows of a notebook of Quill. */
export function read(before: unknown, id: string, findings: Findings): RowReader {
  const state = (before as QuillState | null) ?? { session: id, turn: noTurn() }
  return {
    state,
    read(row, place) {
      state.session = textOf(row.notebook) ?? state.session
      const at = momentOf(row.when)
      const verdict = judge(row)
      if (verdict !== null) {
        endTurn(state, findings, 'unknown')
        const { startsTurn: _, ...judged } = verdict
        const seq = findings.message({
          ...{ ...judged, ...place, at, session: state.session, cwd: textOf(row.folder) ?? null },
          row: textOf(row.id) ?? null,
          keys: [`quill:${row.id}:${hash('sha256', judged.words)}`],
        })
        state.turn.open.push({ seq, trace: emptyTrace() })
      }
      state.turn.lastAt = at
      follow(state.turn, row)
      if (row.quill === 'blotted') endTurn(state, findings, 'done')
    },
    provisional: () => ({ messages: [], traces: closed(state.turn, 'unknown') }),
  }
}
