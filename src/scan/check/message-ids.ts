import type { Message } from '../message.ts'
import { holdsString } from './find-words.ts'

/** The ids of messages that the rows of a result name, as far as the rows of the transcripts do not show them yet. */
export interface NamedIds {
  /** Takes a message of the result in. */
  add(row: Message): void
  /** Looks for the ids of a message in a row that holds it. */
  lookInto(id: string, row: unknown): void
  /** What no row shows of the messages that were looked for. */
  problems(): string[]
}

/** What became of a message is told by the host's id alone (ruling 13): an id has to stand in a row of its message. */
export function namedIds(): NamedIds {
  const missing = new Map<string, { ids: string[]; isLookedFor: boolean }>()
  return {
    add({ id, evidence: { correlation, deliveries = [] } }) {
      const own = correlation?.msgId ? [correlation.msgId] : []
      const ids = [...own, ...deliveries.flatMap(({ msgIds }) => msgIds)]
      if (ids.length > 0) missing.set(id, { ids, isLookedFor: false })
    },
    lookInto(id, row) {
      const named = missing.get(id)
      if (named === undefined) return
      const ids = named.ids.filter(one => !holdsString(row, one))
      if (ids.length > 0) missing.set(id, { ids, isLookedFor: true })
      else missing.delete(id)
    },
    problems: () =>
      [...missing].flatMap(([id, { ids, isLookedFor }]) =>
        isLookedFor ? [`${id}: the message id ${ids.join(', ')} stands in no row of it`] : [],
      ),
  }
}
