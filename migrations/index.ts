import { record } from './0001-record.ts'
import { results } from './0002-results.ts'
import { runs } from './0003-runs.ts'
import { gaps } from './0004-gaps.ts'
import { deliveries } from './0005-deliveries.ts'
import type { Migration } from './migration.ts'

/** Every step in its order. The schema's version is their number; a new step makes a new index file, since an index is never changed in place. */
export const migrations: readonly Migration[] = [record, results, runs, gaps, deliveries]

/** The version of the schema that this program reads and writes; also SQLite's `user_version`. */
export const schemaVersion = migrations.length
