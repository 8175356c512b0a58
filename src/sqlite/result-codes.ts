/**
 * The names of SQLite's result codes by their numbers (sqlite.org/rescode.html). The upper bytes of an extended code count
 * what a primary code is about, from 1.
 */
const PRIMARY: Record<string, [code: number, extended?: string]> = {
  ERROR: [1, 'MISSING_COLLSEQ RETRY SNAPSHOT RESERVESIZE KEY UNABLE'],
  INTERNAL: [2],
  PERM: [3],
  ABORT: [4, '- ROLLBACK'],
  BUSY: [5, 'RECOVERY SNAPSHOT TIMEOUT'],
  LOCKED: [6, 'SHAREDCACHE VTAB'],
  NOMEM: [7],
  READONLY: [8, 'RECOVERY CANTLOCK ROLLBACK DBMOVED CANTINIT DIRECTORY'],
  INTERRUPT: [9],
  IOERR: [
    10,
    'READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED NOMEM ACCESS CHECKRESERVEDLOCK LOCK CLOSE DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP SEEK DELETE_NOENT MMAP GETTEMPPATH CONVPATH VNODE AUTH BEGIN_ATOMIC COMMIT_ATOMIC ROLLBACK_ATOMIC DATA CORRUPTFS IN_PAGE BADKEY CODEC',
  ],
  CORRUPT: [11, 'VTAB SEQUENCE INDEX'],
  NOTFOUND: [12],
  FULL: [13],
  CANTOPEN: [14, 'NOTEMPDIR ISDIR FULLPATH CONVPATH DIRTYWAL SYMLINK'],
  PROTOCOL: [15],
  EMPTY: [16],
  SCHEMA: [17],
  TOOBIG: [18],
  CONSTRAINT: [
    19,
    'CHECK COMMITHOOK FOREIGNKEY FUNCTION NOTNULL PRIMARYKEY TRIGGER UNIQUE VTAB ROWID PINNED DATATYPE',
  ],
  MISMATCH: [20],
  MISUSE: [21],
  NOLFS: [22],
  AUTH: [23, 'USER'],
  FORMAT: [24],
  RANGE: [25],
  NOTADB: [26],
  NOTICE: [27, 'RECOVER_WAL RECOVER_ROLLBACK RBU'],
  WARNING: [28, 'AUTOINDEX'],
}

export const RESULT_CODES: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(PRIMARY).flatMap(([name, [code, extended = '']]) => [
    [code, `SQLITE_${name}`],
    ...extended
      .split(' ')
      .map((more, at) => [code | ((at + 1) << 8), `SQLITE_${name}_${more}`])
      .filter(([, full]) => !/[_-]$/.test(full as string)),
  ]),
)
