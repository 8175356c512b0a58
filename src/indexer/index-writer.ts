import type { Evidence, SessionFacts } from '../chain/session-facts.ts'
import type { Database, Statement } from '../database/sqlite.ts'
import { parseStoredFacts } from '../database/stored-facts.ts'
import { fromStored, toStored } from '../database/stored-text.ts'
import {
  ENTRY_CONTENT,
  type FolderRow,
  type SessionRow,
  TEXT_CONTENT,
  UNREAD_CONTENT,
  type UnreadRow,
} from '../database/tables.ts'
import type { NewEntryRow, NewTextRow } from './entry-row.ts'
import { type EvidenceRow, evidenceFrom } from './evidence-row.ts'

/** What the index knows of one file of a folder. */
export type KnownFile =
  | { in: 'entry'; id: number; name: string; stat: string; sha256: string }
  | ({ in: 'unread' } & Pick<
      UnreadRow,
      'id' | 'name' | 'stat' | 'reason' | 'is_retried' | 'twin_session' | 'twin_name'
    >)

export type NewUnread = Omit<UnreadRow, 'id' | 'first_seen' | 'tries'>

/**
 * Everything that is ever written to an index, as prepared statements. The transaction begins with the first
 * write, so that a refresh with nothing new writes nothing; `commit` ends it.
 */
export interface IndexWriter {
  folders(): FolderRow[]
  knownFiles(folderId: number): KnownFile[]
  /** The folders of files that another look may read. */
  retriedFolders(): Set<number>
  facts(sessionId: string): SessionFacts | null
  evidence(sessionId: string): Iterable<Evidence>

  addFolder(folder: Omit<FolderRow, 'id'>): number
  updateFolder(folder: FolderRow): void
  removeFolder(id: number): void
  addEntry(
    file: { folder_id: number; name: string; stat: string; sha256: string },
    row: NewEntryRow,
    text: NewTextRow | null,
  ): void
  updateEntryStat(id: number, stat: string): void
  removeEntry(id: number): void
  addUnread(row: NewUnread, now: string): void
  /** Another look that could not read it either. */
  retryUnread(id: number, row: Pick<UnreadRow, 'stat' | 'sha256' | 'reason'>, isSameFile: boolean): void
  removeUnread(id: number): void
  putSession(facts: SessionFacts): void
  removeSession(sessionId: string): void
  setMeta(key: string, value: string): void
  meta(key: string): string | null

  /** Whether the search tables are kept with every row; else they are filled at the end. */
  readonly keepsSearch: boolean
  /** A statement of what a result's loader reads. */
  reading(sql: string): Statement
  /** A statement that writes rows of results: no projection depends on them. */
  writing(sql: string): (...values: unknown[]) => { lastInsertRowid: number | bigint }

  /** Rows inserted, updated and deleted so far on this connection. */
  rowsWritten(): number
  isChanged(): boolean
  /** Whether anything was written that an answer about the record depends on, other than how often a file was looked at. */
  isContentChanged(): boolean
  commit(): void
}

/** @param keepsSearch false while a new index is loaded: its search table is filled at the end, in one go */
export function indexWriter(db: Database, { keepsSearch }: { keepsSearch: boolean }): IndexWriter {
  let isOpen = false
  let isContentChanged = false
  const begin = () => {
    if (isOpen) return
    db.exec('begin immediate')
    isOpen = true
  }
  const write = (sql: string, { isContent = true } = {}) => {
    const statement = db.prepare(sql)
    return (...values: unknown[]) => {
      begin()
      if (isContent) isContentChanged = true
      return statement.run(...values)
    }
  }

  const folders = db.prepare('select * from folder')
  const knownEntries = db.prepare(
    `select 'entry' as "in", id, name, stat, sha256 from entry where folder_id = ?`,
  )
  const knownUnread = db.prepare(
    `select 'unread' as "in", id, name, stat, reason, is_retried, twin_session, twin_name from unread where folder_id = ?`,
  )
  const retriedFolders = db.prepare('select distinct folder_id from unread where is_retried = 1').pluck()
  const factsOf = db.prepare('select facts from session where session_id = ?').pluck()
  const evidenceOf = db.prepare(
    `select name, at, cwd, kind, side, peer_session_id, is_queued, text_sha256, parent, part, brief, host, version, inbound
     from entry where session_id = ? order by at, name`,
  )
  const metaOf = db.prepare('select value from meta where key = ?').pluck()
  const total = db.prepare('select total_changes()').pluck()
  const textOf = db.prepare('select text from message_text where entry_id = ?').pluck()

  const addFolder = write(insert('folder', FOLDER_COLUMNS))
  const updateFolder = write(
    `update folder set ${FOLDER_COLUMNS.map(column => `${column} = @${column}`).join(', ')} where id = @id`,
    { isContent: false },
  )
  const removeFolder = write('delete from folder where id = ?')
  const addEntry = write(insert('entry', ENTRY_COLUMNS))
  const updateEntryStat = write('update entry set stat = ? where id = ?', { isContent: false })
  const removeEntry = write('delete from entry where id = ?')
  const addText = write(insert('message_text', TEXT_COLUMNS))
  const removeText = write('delete from message_text where entry_id = ?')
  const addSearch = write('insert into message_fts (rowid, text) values (?, ?)')
  const removeSearch = write(`insert into message_fts (message_fts, rowid, text) values ('delete', ?, ?)`)
  const addUnread = write(insert('unread', UNREAD_COLUMNS))
  const retryUnread = write(
    'update unread set stat = @stat, sha256 = @sha256, reason = @reason, tries = tries + 1 where id = @id',
    { isContent: false },
  )
  const removeUnread = write('delete from unread where id = ?')
  const putSession = write(insert('session', SESSION_COLUMNS, 'or replace '))
  const removeSession = write('delete from session where session_id = ?')
  const setMeta = write('insert or replace into meta (key, value) values (?, ?)', { isContent: false })

  return {
    folders: () => (folders.all() as FolderRow[]).map(row => ({ ...row, name: fromStored(row.name) })),
    knownFiles: id =>
      ([...knownEntries.all(id), ...knownUnread.all(id)] as KnownFile[]).map(file => ({
        ...file,
        name: fromStored(file.name),
      })),
    retriedFolders: () => new Set(retriedFolders.all() as number[]),
    facts: sessionId => {
      const facts = factsOf.get(sessionId) as string | undefined
      return facts === undefined ? null : parseStoredFacts(facts)
    },
    *evidence(sessionId) {
      for (const row of evidenceOf.iterate(sessionId)) yield evidenceFrom(row as EvidenceRow)
    },

    addFolder: folder => Number(addFolder({ ...folder, name: toStored(folder.name) }).lastInsertRowid),
    updateFolder: folder => void updateFolder({ ...folder, name: toStored(folder.name) }),
    removeFolder: id => void removeFolder(id),
    addEntry(file, row, text) {
      const id = addEntry({ ...row, ...file, name: toStored(file.name) }).lastInsertRowid
      if (!text) return
      addText({ ...text, entry_id: id })
      if (keepsSearch && text.text !== null) addSearch(id, text.text)
    },
    updateEntryStat: (id, stat) => void updateEntryStat(stat, id),
    removeEntry(id) {
      const text = textOf.get(id) as string | null | undefined
      if (text !== null && text !== undefined) removeSearch(id, text)
      removeText(id)
      removeEntry(id)
    },
    addUnread: (row, now) =>
      void addUnread({
        ...row,
        name: toStored(row.name),
        reason: toStored(row.reason),
        first_seen: now,
        tries: 1,
      }),
    retryUnread(id, row, isSameFile) {
      retryUnread({ ...row, reason: toStored(row.reason), id })
      if (!isSameFile) isContentChanged = true
    },
    removeUnread: id => void removeUnread(id),
    putSession: facts => void putSession(sessionRow(facts)),
    removeSession: sessionId => void removeSession(sessionId),
    setMeta: (key, value) => void setMeta(key, toStored(value)),
    meta(key) {
      const value = metaOf.get(key) as string | undefined
      return value === undefined ? null : fromStored(value)
    },

    keepsSearch,
    reading: sql => db.prepare(sql),
    writing: sql => write(sql, { isContent: false }),

    rowsWritten: () => total.get() as number,
    isChanged: () => isOpen,
    isContentChanged: () => isContentChanged,
    commit() {
      if (isOpen) db.exec('commit')
      isOpen = false
    },
  }
}

const FOLDER_COLUMNS = ['name', 'identity', 'is_settled', 'problem', 'first_seen', 'tries']
const ENTRY_COLUMNS = ['folder_id', 'name', 'stat', 'sha256', ...ENTRY_CONTENT]
const TEXT_COLUMNS = ['entry_id', ...TEXT_CONTENT]
const UNREAD_COLUMNS = ['folder_id', 'name', 'stat', ...UNREAD_CONTENT, 'first_seen', 'tries']
const SESSION_COLUMNS = [
  ...['session_id', 'first_heard', 'last_heard', 'entries', 'cwd', 'host', 'version', 'inbound'],
  ...['parent', 'part', 'brief', 'joined_at', 'join_entry_name', 'facts'],
]

function insert(table: string, columns: string[], or = ''): string {
  return `insert ${or}into ${table} (${columns.join(', ')}) values (${columns.map(column => `@${column}`).join(', ')})`
}

function sessionRow(facts: SessionFacts): SessionRow {
  const { join, latestStart } = facts
  return {
    session_id: facts.sessionId,
    first_heard: facts.firstHeard,
    last_heard: facts.lastHeard,
    entries: facts.entries,
    cwd: toStored(facts.cwd),
    host: latestStart && toStored(latestStart.host),
    version: latestStart && toStored(latestStart.version),
    inbound: latestStart && toStored(latestStart.inbound),
    parent: join?.parent ?? null,
    part: join && toStored(join.part),
    brief: typeof join?.brief === 'string' ? toStored(join.brief) : null,
    joined_at: join?.at ?? null,
    join_entry_name: join?.name ?? null,
    facts: toStored(JSON.stringify(facts)),
  }
}
