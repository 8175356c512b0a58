import BetterSqlite from 'better-sqlite3'
import { loadNodeSqlite, type OpenOptions, openNodeSqlite } from '../../src/sqlite/node-sqlite.ts'
import type { SqliteDatabase } from '../../src/sqlite/sqlite-database.ts'

/** Whether this Node brings a SQLite that an index can live in: from 22.16 on. */
export const HAS_NODE_SQLITE = (([major = 0, minor = 0]) => major > 22 || (major === 22 && minor >= 16))(
  process.versions.node.split('.').map(Number),
)

export interface TestedDriver {
  name: string
  open(path: string, options?: OpenOptions): SqliteDatabase
}

const better: TestedDriver = {
  name: 'better-sqlite3',
  open: (path, options) => new BetterSqlite(path, options) as SqliteDatabase,
}

/** Every driver that this Node can have. */
export const DRIVERS: TestedDriver[] = HAS_NODE_SQLITE ? [better, nodeSqlite()] : [better]

function nodeSqlite(): TestedDriver {
  const module = loadNodeSqlite()
  return { name: 'node:sqlite', open: (path, options) => openNodeSqlite(module, path, options) }
}
