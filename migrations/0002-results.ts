import type { Migration } from './migration.ts'

/**
 * Results that lie somewhere on this machine, and the rows of scans (docs/scan.md). Every text column holds stored text
 * (src/database/stored-text.ts).
 *
 * - `result`: one row for each file in the folder of known results; `name` and `stat` are that file's, `identity` tells
 *   whether the result's own files changed; `state` is read, gone or damaged (`problem`: why).
 * - `scan_source`, `scan_message`: rows of a scan's manifest and messages.
 * - `scan_direction`: what became of a message of the person; `id` is that of its `scan_message`.
 */
export const results: Migration = {
  tables: `
    create table result (
      id integer primary key,
      name text not null,
      stat text not null,
      kind text,
      path text,
      since text,
      identity text,
      state text not null,
      problem text,
      status text,
      made_at text,
      version text,
      revision text,
      first_seen text not null,
      tries integer not null
    );

    create table scan_source (
      id integer primary key,
      result_id integer not null,
      file text not null,
      product text not null,
      kind text not null,
      session_id text,
      sessions text not null,
      cwd text,
      versions text not null,
      size integer not null,
      sha256 text not null,
      read_to integer not null,
      first_at text,
      last_at text,
      lines integer not null,
      malformed integer not null,
      unfinished_bytes integer not null,
      tool_results integer not null,
      person integer not null,
      launcher integer not null,
      peer integer not null,
      notice integer not null,
      unresolved integer not null
    );

    create table scan_message (
      id integer primary key,
      result_id integer not null,
      message_id text not null,
      label text not null,
      confidence text not null,
      kind text not null,
      words text not null,
      sha256 text not null,
      product text not null,
      session_id text not null,
      at text,
      cwd text,
      file text not null,
      line integer not null,
      "offset" integer not null,
      "row" text,
      places integer not null,
      is_decided integer not null,
      correlation text,
      msg_id text,
      sender_session_id text
    );

    create table scan_direction (
      id integer primary key,
      result_id integer not null,
      turn_end text not null,
      ended_at text,
      files_edited integer not null,
      commands integer not null,
      commits text,
      agents integer not null,
      last_words text,
      next text,
      outcome text,
      outcome_evidence text,
      outcome_by text,
      outcome_at text
    );

    create virtual table scan_fts using fts5(
      words, content='scan_message', content_rowid='id', tokenize='unicode61 remove_diacritics 2'
    );
  `,
  indexes: `
    create unique index result_name on result (name);
    create index scan_source_result on scan_source (result_id);
    create index scan_message_result on scan_message (result_id);
    create index scan_message_session on scan_message (session_id, at);
    create index scan_message_sha256 on scan_message (sha256);
    create index scan_message_msg_id on scan_message (msg_id) where msg_id is not null;
    create index scan_direction_result on scan_direction (result_id);
  `,
}
