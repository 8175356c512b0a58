import type { Search, SearchedTable, SearchTerm } from '../database/dialect.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

// Full-text search by FTS5. Its tables keep no texts of their own, so what is taken out of them has to be told again.

/** The search table of each text, its column, and the rows whose texts it holds. */
const SEARCH_TABLES: Record<SearchedTable, { name: string; column: string; rows: string }> = {
  message_text: {
    name: 'message_fts',
    column: 'text',
    rows: 'select entry_id, text from message_text where text is not null',
  },
  scan_message: { name: 'scan_fts', column: 'words', rows: 'select id, words from scan_message' },
}

/** Fills the search tables of a new index. A larger table of words in memory makes fewer pieces to merge: about a quarter less time. */
export function fillSearch(db: SqliteDatabase): void {
  for (const { name, column, rows } of Object.values(SEARCH_TABLES)) {
    db.exec(`insert into ${name} (${name}, rank) values ('hashsize', ${64 * 1024 * 1024})`)
    db.exec(`insert into ${name} (rowid, ${column}) ${rows}`)
    db.exec(`insert into ${name} (${name}, rank) values ('hashsize', ${1024 * 1024})`)
  }
}

/** Statements that add and take out the text of one row: its id and the text. */
export function searchOfOne(table: SearchedTable): { add: string; remove: string } {
  const { name, column } = SEARCH_TABLES[table]
  return {
    add: `insert into ${name} (rowid, ${column}) values (?, ?)`,
    remove: `insert into ${name} (${name}, rowid, ${column}) values ('delete', ?, ?)`,
  }
}

/** Statements that add and take out the texts of all rows in which a column has a value. */
export function searchOfMany(table: SearchedTable, column: string): { add: string; remove: string } {
  const { name, column: text } = SEARCH_TABLES[table]
  return {
    add: `insert into ${name} (rowid, ${text}) select id, ${text} from ${table} where ${column} = ?`,
    remove: `insert into ${name} (${name}, rowid, ${text}) select 'delete', id, ${text} from ${table} where ${column} = ?`,
  }
}

/** Compares the search tables with the texts; asked for by an insert, which writes nothing. Throws SQLite's error where they differ. */
export function checkSearch(db: SqliteDatabase): void {
  for (const { name } of Object.values(SEARCH_TABLES))
    db.exec(`insert into ${name} (${name}, rank) values ('integrity-check', 1)`)
}

/** The ids of the rows whose texts a query finds (`searchQuery`), up to the query itself. */
export function foundIds(table: SearchedTable): string {
  const { name } = SEARCH_TABLES[table]
  return `select rowid from ${name} where ${name} match `
}

/**
 * A search as FTS5's query. Every term goes out as a quoted phrase, so nothing of FTS5's own syntax gets through: `a:b`,
 * `^`, `NEAR` and `-` are searched as text.
 */
export function searchQuery(search: Search): string {
  return search.map(terms => `(${terms.map(phrase).join(' AND ')})`).join(' OR ')
}

function phrase({ text, isPrefix }: SearchTerm): string {
  return `"${text.replaceAll('"', '""')}"${isPrefix ? '*' : ''}`
}

/** What the tokenizer (unicode61) keeps of a text; everything else separates words. */
const SEARCHABLE = /[\p{L}\p{N}\p{Co}]/u

/** Whether a text holds anything that can be searched for. */
export function isSearchable(text: string): boolean {
  return SEARCHABLE.test(text)
}
