import { type JsonObject, momentOf, objectOf, textOf } from '../transcripts/json-row.ts'

/** Who made a thread, as its first row tells. It does not tell who wrote a turn. */
export interface Thread {
  id: string
  cwd: string | null
  version: string
  originator: string | null
  /** `cli`, `exec`, `vscode`, … or `subagent`. */
  source: string | null
  parent: string | null
  forkedFrom: string | null
  /** A fork that begins without copies of what came before. */
  isPaginated: boolean
  startedAt: string | null
}

/** @param id the thread's id where no row states one */
export function unknownThread(id: string): Thread {
  return {
    id,
    cwd: null,
    version: '',
    originator: null,
    source: null,
    parent: null,
    forkedFrom: null,
    isPaginated: false,
    startedAt: null,
  }
}

/** The thread of a `session_meta` row, or of the bare first row of version 0.20. */
export function threadOf(meta: JsonObject, before: Thread): Thread {
  const source = objectOf(meta.source)?.subagent !== undefined ? 'subagent' : (textOf(meta.source) ?? null)
  return {
    id: textOf(meta.id) ?? before.id,
    cwd: textOf(meta.cwd) ?? null,
    version: textOf(meta.cli_version) ?? '',
    originator: textOf(meta.originator) ?? null,
    source: meta.thread_source === 'subagent' ? 'subagent' : source,
    parent: textOf(meta.parent_thread_id) ?? null,
    forkedFrom: textOf(meta.forked_from_id) ?? null,
    isPaginated: meta.history_mode === 'paginated',
    startedAt: momentOf(meta.timestamp),
  }
}

/** Whether the thread is a subagent's or a reviewer's: nobody typed into it. */
export function isChild(thread: Thread): boolean {
  return thread.source === 'subagent' || thread.parent !== null
}

/** Who the author of the thread's prompts is where the prompts themselves say nothing. */
export function authorOf(thread: Thread): 'person' | 'launcher' | null {
  if (isChild(thread)) return 'launcher'
  if (thread.source === 'exec' || thread.originator === 'codex_exec') return 'launcher'
  if (thread.originator === 'codex-tui') return 'person'
  if (thread.originator === 'codex_cli_rs' && (thread.source === 'cli' || thread.source === null))
    return 'person'
  return null
}
