import type { Migration } from './migration.ts'

/**
 * Runs of YAML chains (docs/chains.md), from their audit logs. Every text column holds stored text
 * (src/database/stored-text.ts).
 *
 * - `run`: one row for each log of a known result; `session_id` is the session that started it.
 * - `run_step`: one row for each step that began or ended; `position` is the order in which they first did.
 */
export const runs: Migration = {
  tables: `
    create table run (
      id integer primary key,
      result_id integer not null,
      run_id text not null,
      yaml_chain text not null,
      chain_version text not null,
      started_at text not null,
      ended_at text,
      status text not null,
      session_id text,
      model_calls integer not null,
      resumes integer not null,
      log text not null,
      yaml_sha256 text not null,
      project text not null,
      primary_agent text not null
    );

    create table run_step (
      id integer primary key,
      result_id integer not null,
      run_id text not null,
      position integer not null,
      step text not null,
      status text not null,
      reason text,
      started_at text,
      ended_at text,
      attempts integer not null,
      agent text,
      family text,
      output_sha256 text,
      skill text,
      skill_sha256 text
    );
  `,
  indexes: `
    create index run_result on run (result_id);
    create index run_session on run (session_id) where session_id is not null;
    create index run_step_result on run_step (result_id);
  `,
}
