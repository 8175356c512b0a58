import type { Migration } from './migration.ts'

/**
 * What scans say became of messages between sessions (ruling 13). Every text column holds stored text
 * (src/database/stored-text.ts).
 *
 * - `scan_delivery`: one row for each message that a session was given (`stage` read; `msg_id` null where its row names
 *   none), and one for each id that a notice of the host names; `message` is the `scan_message` that says it.
 *   Between `near_from` and `near_to` lies the receiver's own entry of it; null of a notice.
 */
export const deliveries: Migration = {
  tables: `
    create table scan_delivery (
      id integer primary key,
      result_id integer not null,
      message integer not null,
      msg_id text,
      stage text not null,
      near_from text,
      near_to text
    );
  `,
  indexes: `
    create index scan_delivery_result on scan_delivery (result_id);
    create index scan_delivery_message on scan_delivery (message);
    create index scan_message_peer on scan_message (session_id, sha256) where label = 'peer';
    create index scan_delivery_msg_id on scan_delivery (msg_id, stage) where msg_id is not null;
  `,
}
