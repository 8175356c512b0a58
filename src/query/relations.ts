import type { Relation } from './relation.ts'
import { chain, entries, messages } from './relations/of-entries.ts'
import { sessions } from './relations/sessions.ts'
import { unreadable } from './relations/unreadable.ts'

/** What can be asked of the record. A room that brings tables of its own hands `[...recordRelations, its]` to `runQuery`. */
export const recordRelations: readonly Relation[] = [entries, messages, sessions, chain, unreadable]
