import type { Relation } from './relation.ts'
import { chain, entries, messages } from './relations/of-entries.ts'
import { runs, steps } from './relations/of-runs.ts'
import { directions, results, scannedMessages, sources } from './relations/of-scans.ts'
import { sessions } from './relations/sessions.ts'
import { unreadable } from './relations/unreadable.ts'

/** What can be asked of the record, and of the results that are known for it. */
export const recordRelations: readonly Relation[] = [
  ...[entries, messages, sessions, chain, unreadable],
  ...[directions, scannedMessages, sources, results],
  ...[runs, steps],
]
