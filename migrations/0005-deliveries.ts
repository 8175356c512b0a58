import type { Migration } from './migration.ts'

/**
 * What scans say became of messages between sessions (ruling 13). Every text column holds stored text
 * (src/database/stored-text.ts).
 *
 * - `scan_delivery`: one row for each message that a session was given (`stage` read), and one for each id that a notice
 *   of the host names; `message` is the `scan_message` that says it.
 * - `scan_arrival`: where the receiver's own entry of a message lies, which keeps no id: in its session, with its words'
 *   hash, between `near_from` and `near_to`; one row for each `near`, the ten minutes of a clock that this time touches,
 *   so that an entry finds it by what its own time begins with.
 */
export const deliveries: Migration = {
  tables: `
    create table scan_delivery (
      id integer primary key,
      result_id integer not null,
      message integer not null,
      msg_id text not null,
      stage text not null
    );

    create table scan_arrival (
      id integer primary key,
      result_id integer not null,
      message integer not null,
      session_id text not null,
      sha256 text not null,
      near text not null,
      near_from text not null,
      near_to text not null
    );
  `,
  indexes: `
    create index scan_delivery_result on scan_delivery (result_id);
    create index scan_delivery_msg_id on scan_delivery (msg_id, stage);
    create index scan_arrival_result on scan_arrival (result_id);
    create index scan_arrival_near on scan_arrival (session_id, sha256, near);
  `,
}
