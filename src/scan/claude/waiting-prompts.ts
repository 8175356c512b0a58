import type { Queued } from './queued.ts'

/** Prompts by state, text and id: a session may queue very many that no row delivers. */
export function waitingPrompts(before: Queued[]) {
  const all = new Set<Queued>()
  const byForm = new Map<string, Set<Queued>>()
  const byId = new Map<string, Queued>()
  const keysOf = ({ words, state }: Queued) =>
    [wholeForm(words), taskForm(words)].flatMap(form => (form === null ? [] : [`${state}${form}`]))
  const remove = (queued: Queued): Queued => {
    all.delete(queued)
    for (const id of queued.ids) byId.delete(id)
    for (const key of keysOf(queued)) {
      const same = byForm.get(key)
      same?.delete(queued)
      if (same?.size === 0) byForm.delete(key)
    }
    return queued
  }
  const add = (queued: Queued) => {
    all.add(queued)
    for (const id of queued.ids) byId.set(id, queued)
    for (const key of keysOf(queued)) {
      const same = byForm.get(key)
      if (same) same.add(queued)
      else byForm.set(key, new Set([queued]))
    }
  }
  const oldest = (forms: (string | null)[], states: Queued['state'][]): Queued | undefined => {
    const found = forms.flatMap(form => states.flatMap(state => firstOf(byForm.get(`${state}${form}`))))
    return found.reduce<Queued | undefined>(
      (a, b) => (a === undefined || b.offset < a.offset ? b : a),
      undefined,
    )
  }
  for (const queued of before) add(queued)
  return {
    add,
    /** Takes out the oldest that holds a text; one that holds it whole before one that only tells of the same task. */
    take(texts: string[], states: Queued['state'][]): Queued | undefined {
      const found = oldest(texts.map(wholeForm), states) ?? oldest(texts.map(taskForm), states)
      return found && remove(found)
    },
    takeById(ids: string[]): Queued | undefined {
      const found = ids.map(id => byId.get(id)).find(one => one !== undefined)
      return found && remove(found)
    },
    /** What no row has shown yet, in the order of the rows. */
    all: () => [...all],
  }
}

function firstOf<T>(things: Set<T> | undefined): T[] {
  for (const thing of things ?? []) return [thing]
  return []
}

function wholeForm(words: string): string {
  return `=${words.trimEnd()}`
}

/** The host's notes of one task are one, also where a row cut its text short. */
function taskForm(words: string): string | null {
  const id = words.startsWith('<task-notification>')
    ? /^<task-notification>\n<task-id>([^<]+)</.exec(words)?.[1]
    : undefined
  return id === undefined ? null : `#${id}`
}
