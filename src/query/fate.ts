import { TEN_MINUTES } from '../database/ten-minutes.ts'

// What became of a message (ruling 13), as SQL about a row of `entry`. Nothing ties a row of a transcript to an entry
// but the host's id of the message.

/** How far a message came; `unknown`: no row says, or rows contradict each other. */
export const FATES = [
  ...(['read', 'released', 'held', 'refused', 'denied', 'expired', 'dropped'] as const),
  'unknown',
] as const

/** With one of these it is over, so two of them contradict each other. */
const ENDS = `('read', 'refused', 'denied', 'expired', 'dropped')`
/** What happens to a message that is let through is none of these. */
const NOT_LET_THROUGH = `('refused', 'denied', 'expired')`

/**
 * The id that a sent entry keeps. An entry of a receiver keeps none: it has that of the one message of its session with
 * its text near the time it was sent, where no second entry can be of it, if the id names the sender, and no other than
 * the entry does. So does attribution.
 */
const MSG_ID = `(case when entry.side = 'sent' then entry.msg_id else (
  select case when count(distinct m.message_id) = 1 and min(m.sender_session_id) = max(m.sender_session_id) then min(m.msg_id) end
  from scan_arrival a join scan_message m on m.id = a.message
  where a.session_id = entry.session_id and a.sha256 = entry.text_sha256
    and a.near = substr(entry.at, 1, ${TEN_MINUTES}) and entry.at between a.near_from and a.near_to
    and (entry.peer_session_id is null or coalesce(m.sender_session_id, entry.peer_session_id) = entry.peer_session_id)
    and not exists (
      select 1 from entry other where other.session_id = entry.session_id and other.side = 'received'
        and other.text_sha256 = entry.text_sha256 and other.name != entry.name and other.at between a.near_from and a.near_to)
) end)`

const isStage = (stages: string) => `max(case when d.stage in ${stages} then d.stage end)`

/** The latest stage that is proved; `unknown` without one, and where rows contradict each other. */
const STAGE = `(select case
    when count(distinct case when d.stage in ${ENDS} then d.stage end) > 1 then 'unknown'
    when ${isStage("('released')")} is not null and ${isStage(NOT_LET_THROUGH)} is not null then 'unknown'
    else coalesce(${isStage(ENDS)}, ${isStage("('released')")}, ${isStage("('held')")}, 'unknown')
  end from scan_delivery d where d.msg_id = ${MSG_ID})`

/** Nothing is asked of transcripts where none were scanned, and nothing became of what was not even queued. */
const isAsked = (then: string) =>
  `(case when entry.side = 'sent' and not entry.is_queued then null
    when exists (select 1 from result where result.kind = 'scan' and result.state = 'read') then ${then} end)`

/** One row that says a stage, of the latest scan that holds one; null where none does. */
const rowOf = (stage: string) => `(
  select d.stage || ': msg_id ' || d.msg_id || ' in ' || m.file || ' line ' || m.line
    || coalesce(', row ' || m."row", '') || ', scan ' || r.path
  from scan_delivery d join scan_message m on m.id = d.message join result r on r.id = d.result_id
  where d.msg_id = asked.msg_id and d.stage = ${stage} order by r.made_at desc, r.path, m.file, m.line limit 1)`

const CONFLICTING = ['read', 'dropped', 'refused', 'denied', 'expired', 'released']
  .map(stage => `coalesce('; ' || ${rowOf(`'${stage}'`)}, '')`)
  .join(' || ')

/** One of `FATES`; null without a scan, and of a message that was not queued. */
export const FATE = isAsked(STAGE)

/** The row that proves the fate, as text; of rows that contradict each other, one for each; null where none says. */
export const FATE_EVIDENCE = isAsked(`(
  select case when asked.stage = 'unknown' then nullif(substr(${CONFLICTING}, 3), '') else ${rowOf('asked.stage')} end
  from (select ${MSG_ID} as msg_id, ${STAGE} as stage) asked)`)
