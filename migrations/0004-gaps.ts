import type { Migration } from './migration.ts'

/**
 * What is missing of the record. Every text column holds stored text (src/database/stored-text.ts).
 *
 * - `entry.cause`, `entry.missing`: fields of an entry (docs/record.md).
 * - `gone`: one row for each entry that the index held and whose file was there no more at a later look (`since`).
 * - `gap`: one row for each entry before which others were not written or are missing, as its session's files show;
 *   `name` is that entry's, `missing` says how many, null where that is more than is kept.
 */
export const gaps: Migration = {
  tables: `
    alter table entry add column cause text;
    alter table entry add column missing integer;

    create table gone (
      id integer primary key,
      folder text not null,
      name text not null,
      at text not null,
      sha256 text not null,
      since text not null
    );

    create table gap (
      id integer primary key,
      session_id text not null,
      name text not null,
      name_at text not null,
      missing integer,
      reason text not null,
      first_seen text not null
    );
  `,
  indexes: `
    create index entry_missing on entry (session_id) where missing is not null;
    create unique index gone_file on gone (folder, name);
    create index gap_session on gap (session_id);
  `,
}
