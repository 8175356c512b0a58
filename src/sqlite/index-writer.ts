import type { IndexWriter } from '../database/index-writer.ts'
import type { EvidenceRow, KnownFile } from '../database/new-rows.ts'
import { fromStored, toStored } from '../database/stored-text.ts'
import { ENTRY_CONTENT, type FolderRow, TEXT_CONTENT, UNREAD_CONTENT } from '../database/tables.ts'
import { gapWriter } from './gap-writer.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { searchOfMany, searchOfOne } from './text-search.ts'

/**
 * The writer of an open index, by prepared statements.
 *
 * @param keepsSearch false while a new index is loaded: its search table is filled at the end, in one go
 */
export function indexWriter(db: SqliteDatabase, { keepsSearch }: { keepsSearch: boolean }): IndexWriter {
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
    `select name, at, cwd, kind, side, peer_session_id, is_queued, text_sha256, parent, part, brief, host, version, inbound,
     cause, missing from entry where session_id = ? order by at, name`,
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
  const search = searchOfOne('message_text')
  const addSearch = write(search.add)
  const removeSearch = write(search.remove)
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
    facts: sessionId => (factsOf.get(sessionId) as string | undefined) ?? null,
    evidence: sessionId => evidenceOf.iterate(sessionId) as Iterable<EvidenceRow>,

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
    putSession: row => void putSession(row),
    removeSession: sessionId => void removeSession(sessionId),
    setMeta: (key, value) => void setMeta(key, toStored(value)),
    meta(key) {
      const value = metaOf.get(key) as string | undefined
      return value === undefined ? null : fromStored(value)
    },

    ...gapWriter(db, write),

    rowOf: <Row>(table: string, id: number) =>
      db.prepare(`select * from ${table} where id = ?`).get(id) as Row,
    rowsOf: <Row>(table: string) => db.prepare(`select * from ${table}`).all() as Row[],
    adding(table, columns) {
      const add = write(insert(table, columns), { isContent: false })
      return row => Number(add(row).lastInsertRowid)
    },
    replacing(table, columns) {
      const set = columns.map(column => `"${column}" = @${column}`).join(', ')
      const replace = write(`update ${table} set ${set} where id = @id`, { isContent: false })
      return row => void replace(row)
    },
    removing(table, column) {
      const remove = write(`delete from ${table} where ${column} = ?`, { isContent: false })
      return value => void remove(value)
    },
    addWords(resultId) {
      if (keepsSearch) write(words.add, { isContent: false })(resultId)
    },
    removeWords(resultId) {
      if (keepsSearch) write(words.remove, { isContent: false })(resultId)
    },

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

const words = searchOfMany('scan_message', 'result_id')

function insert(table: string, columns: readonly string[], or = ''): string {
  const names = columns.map(column => `"${column}"`).join(', ')
  return `insert ${or}into ${table} (${names}) values (${columns.map(column => `@${column}`).join(', ')})`
}
