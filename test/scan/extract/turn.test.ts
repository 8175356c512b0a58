import { describe, expect, it } from 'vitest'
import {
  addOnce,
  closed,
  commitsIn,
  emptyTrace,
  endTurn,
  happened,
  noTurn,
  said,
} from '../../../src/scan/extract/turn.ts'
import type { Trace } from '../../../src/scan/message.ts'
import { second } from '../../support/transcripts.ts'

const turnOf = (...seqs: number[]) => ({
  ...noTurn(),
  open: seqs.map(seq => ({ seq, trace: emptyTrace() })),
  lastAt: second(5),
})

describe('hashes that git names for what it committed', () => {
  it.each([
    ['git commit -m x', '[main 1a2b3c4] x\n 1 file changed', ['1a2b3c4']],
    ['cd a && git commit', '[main (root-commit) 1a2b3c4d5e] x', ['1a2b3c4d5e']],
    ['git a; git b', '[main 1111111] x\n…\n[other 2222222] y', ['1111111', '2222222']],
    ['git log', 'see [main 1a2b3c4] x', []],
    ['git x', '[main 1a2b3c] short', []],
    ['git x', `[main ${'a'.repeat(40)}] x`, ['a'.repeat(40)]],
    ['git x', `[main ${'a'.repeat(41)}] x`, []],
    ['git x', '[main 1A2B3C4] x', []],
    ['git x', '[main 1a2b3c4 x', []],
    ['git x', '[main\n1a2b3c4] x', []],
    ['git x', '[main x1a2b3c4] x', []],
    ['digit', '[main 1a2b3c4] x', []],
    ['gits', '[main 1a2b3c4] x', []],
    ['make', '[main 1a2b3c4] x', []],
  ])('%s: %j', (command, output, hashes) => {
    expect(commitsIn(command, output)).toEqual(hashes)
  })
})

describe('what happens in a turn', () => {
  it('is told of every message of it, and of none that is not open', () => {
    const turn = turnOf(3, 4)
    happened(turn, trace => addOnce(trace.filesEdited, 'a'))
    happened(turn, trace => addOnce(trace.filesEdited, 'a'))
    happened(turn, trace => addOnce(trace.filesEdited, 'b'))
    expect(turn.open.map(({ trace }) => trace.filesEdited)).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ])
  })

  it('the last words stay; longer ones than may be are cut and say so', () => {
    const turn = turnOf(0)
    const lastWords = (words: string) => {
      said(turn, words)
      return turn.open[0]?.trace.lastWords
    }
    expect(lastWords('first')).toBe('first')
    expect(lastWords('x'.repeat(16_384))).toBe('x'.repeat(16_384))
    expect(lastWords('y'.repeat(16_385))).toBe(`${'y'.repeat(16_384)} […]`)
  })

  it('its end and its time are told of each, no time where no end is shown, and the next one is empty', () => {
    for (const [end, endedAt] of [
      ['done', second(5)],
      ['error', second(5)],
      ['unknown', null],
    ] as const) {
      const state = { turn: turnOf(3, 4) }
      const told: [number, Trace][] = []
      endTurn(state, { trace: (seq: number, trace: Trace) => told.push([seq, trace]) } as never, end)
      expect(told).toEqual([3, 4].map(seq => [seq, { ...emptyTrace(), end, endedAt }]))
      expect(state.turn).toEqual(noTurn())
    }
    const turn = turnOf(1)
    closed(turn, 'done')
    expect(turn.open[0]?.trace.end).toBe('unknown')
  })
})
