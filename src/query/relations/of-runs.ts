import type { Kysely } from 'kysely'
import type { IndexTables } from '../../database/tables.ts'
import type { Relation, RelationSource } from '../relation.ts'
import { sessionColumns, withChains } from './chain-of.ts'
import { columnsOf } from './columns.ts'

// Runs of YAML chains (docs/chains.md), joined with the session that started them and with its chain. "Chain" alone is
// a chain of sessions (ruling 5), so the other one is `yaml_chain` here.

const run = columnsOf('run')
const step = columnsOf('run_step')

const runId = run.text('run_id', 'id of the run')
const yamlChain = run.text('yaml_chain', 'name of the YAML chain')
const sessionId = run.text('session_id', 'full id of the session that started it; null where none did')
const inRecord = sessionColumns('run.session_id')
const log = run.text('log', 'its audit log')

/** Every run that was started here. */
export const runs: Relation = {
  name: 'runs',
  description: 'runs of YAML chains',
  columns: [
    runId,
    yamlChain,
    run.text('chain_version', 'its version'),
    run.time('started_at', 'when the run began'),
    run.time('ended_at', 'when it was complete; null while it can still go on'),
    run.text(
      'status',
      'succeeded, partial, failed, halted, running (the log has no end) or broken (the log is not whole)',
    ),
    sessionId,
    run.number('model_calls', 'how many calls of agents were made'),
    run.number('resumes', 'how many times it was resumed'),
    run.text('project', 'the folder of the project'),
    run.text('primary_agent', 'the agent of steps that name no skill'),
    run.text('yaml_sha256', "SHA-256 of the chain's file"),
    log,
    ...inRecord,
  ],
  tableColumns: ['started_at', 'yaml_chain', 'status', 'session_id', 'run_id'],
  order: [
    { column: 'started_at', direction: 'asc' },
    { column: 'run_id', direction: 'asc' },
    { column: 'log', direction: 'asc' },
  ],
  from: db => source(runsOf(db)),
}

/** The steps of runs that began or ended. */
export const steps: Relation = {
  name: 'steps',
  description: 'steps of the runs of YAML chains',
  columns: [
    runId,
    yamlChain,
    step.text('step', 'id of the step'),
    step.number('position', 'the order in which steps first began, from 0'),
    step.text('status', 'succeeded, failed, skipped, blocked or running'),
    step.text('reason', 'why it is not succeeded'),
    step.time('started_at', 'when it first began'),
    step.time('ended_at', 'when it ended'),
    step.number('attempts', 'how many times it was tried'),
    step.text('agent', 'the agent that it was given to'),
    step.text('family', "that agent's family"),
    step.text('output_sha256', 'SHA-256 of its output'),
    step.text('skill', 'the skill, as <package>:<skill>@<version>'),
    step.text('skill_sha256', 'SHA-256 of its SKILL.md'),
    ...[sessionId, log, ...inRecord],
  ],
  tableColumns: ['run_id', 'step', 'status', 'attempts', 'agent', 'family', 'reason'],
  order: [
    { column: 'run_id', direction: 'asc' },
    { column: 'log', direction: 'asc' },
    { column: 'position', direction: 'asc' },
  ],
  from: db => source(runsOf(db).innerJoin('run_step', 'run_step.result_id', 'run.result_id')),
}

function runsOf(db: Kysely<IndexTables>) {
  return withChains(db)
    .selectFrom('run')
    .leftJoin('session', 'session.session_id', 'run.session_id')
    .leftJoin('chain_of', 'chain_of.session_id', 'run.session_id')
}

// Kysely's type names the joined tables; a relation's columns are expressions already, so it need not.
function source(query: unknown): RelationSource {
  return query as RelationSource
}
