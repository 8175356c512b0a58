import { type JsonObject, textOf } from '../transcripts/json-row.ts'

/** A prompt of the conversation's main line; plain data, kept between two readings. */
export interface Prompt {
  seq: number
  uuid: string | null
  /** The row it was written after; undefined where the row does not say. */
  parent?: string | null
  /** What was said in its turn. */
  joined: number[]
}

/**
 * The prompts in their order. Two that were written after the same row show a rewind: the person went back, and what
 * came between was left. No row says so.
 */
export interface MainLine {
  /** `left`: the messages that the person went back to before; `isSeen`: this row was read before. */
  add(row: JsonObject, seq: number): { isSeen: boolean; left: number[] }
  /** A message that stands in the turn of the last prompt. */
  join(seq: number): void
}

/** @param prompts the line so far; it is changed */
export function mainLine(prompts: Prompt[]): MainLine {
  const uuids = new Set(prompts.map(({ uuid }) => uuid))
  const byParent = new Map<string | null, number>()
  const note = (at: number) => {
    const parent = prompts[at]?.parent
    if (parent !== undefined && !byParent.has(parent)) byParent.set(parent, at)
  }
  for (const at of prompts.keys()) note(at)
  return {
    add(row, seq) {
      const uuid = textOf(row.uuid) ?? null
      if (uuid !== null && uuids.has(uuid)) return { isSeen: true, left: [] }
      const parent = row.parentUuid === null ? null : textOf(row.parentUuid)
      const from = row.type === 'user' && parent !== undefined ? byParent.get(parent) : undefined
      const left = from === undefined ? [] : prompts.splice(from)
      for (const one of left) {
        uuids.delete(one.uuid)
        if (one.parent !== undefined && (byParent.get(one.parent) ?? -1) >= (from ?? 0))
          byParent.delete(one.parent)
      }
      prompts.push({ seq, uuid, joined: [], ...(parent === undefined ? {} : { parent }) })
      uuids.add(uuid)
      note(prompts.length - 1)
      return { isSeen: false, left: left.flatMap(one => [one.seq, ...one.joined]) }
    },
    join(seq) {
      prompts.at(-1)?.joined.push(seq)
    },
  }
}
