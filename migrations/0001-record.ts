import type { Migration } from './migration.ts'

/**
 * The record as the index holds it. Every text column holds stored text (src/database/stored-text.ts).
 *
 * - `folder`: one row for each folder of the record; `identity` and `is_settled` decide whether it may be skipped.
 * - `entry`: one row for each readable entry file; `session_id` is also the folder's name.
 * - `message_text`: the long parts of messages, apart so that scans over entries stay narrow.
 * - `unread`: every other file named like an entry: what could not be read (`reason`; `is_retried` where another
 *   look may read it), and copies under another
 *   name (`twin_session`, `twin_name`: the entry it would be a copy of).
 * - `session`: what src/chain derives from a session's entries, kept up to date by the indexer.
 */
export const record: Migration = {
  tables: `
    create table meta (key text primary key, value text not null) without rowid;

    create table folder (
      id integer primary key,
      name text not null,
      identity text,
      is_settled integer not null default 0,
      problem text,
      first_seen text,
      tries integer not null default 0
    );

    create table entry (
      id integer primary key,
      folder_id integer not null,
      name text not null,
      stat text not null,
      sha256 text not null,
      kind text not null,
      session_id text not null,
      at text not null,
      cwd text not null,
      side text,
      peer_as text,
      peer_session_id text,
      text_length integer,
      text_sha256 text,
      has_text integer,
      is_queued integer,
      reason text,
      outcome text,
      msg_id text,
      parent text,
      part text,
      brief text,
      host text,
      version text,
      inbound text,
      extra text
    );

    create table message_text (
      entry_id integer primary key,
      text text,
      envelope_before text,
      envelope_after text
    );

    create table unread (
      id integer primary key,
      folder_id integer not null,
      name text not null,
      stat text not null,
      sha256 text,
      is_conflict integer not null,
      is_retried integer not null,
      reason text not null,
      name_at text,
      twin_session text,
      twin_name text,
      first_seen text not null,
      tries integer not null
    );

    create table session (
      session_id text primary key,
      first_heard text not null,
      last_heard text not null,
      entries integer not null,
      cwd text not null,
      host text,
      version text,
      inbound text,
      parent text,
      part text,
      brief text,
      joined_at text,
      join_entry_name text,
      facts text not null
    ) without rowid;

    create virtual table message_fts using fts5(
      text, content='message_text', content_rowid='entry_id', tokenize='unicode61 remove_diacritics 2'
    );
  `,
  indexes: `
    create unique index folder_name on folder (name);
    create unique index entry_file on entry (folder_id, name);
    create index entry_session on entry (session_id, at, name);
    create index entry_at on entry (at);
    create index entry_peer on entry (peer_session_id, at) where peer_session_id is not null;
    create index entry_text on entry (text_sha256) where text_sha256 is not null;
    create index entry_msg_id on entry (msg_id) where msg_id is not null;
    create index entry_chain on entry (session_id) where kind = 'chain';
    create unique index unread_file on unread (folder_id, name);
    create index session_parent on session (parent) where parent is not null;
  `,
}
