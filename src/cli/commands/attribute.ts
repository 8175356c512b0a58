import { existsSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { escapeText } from '../../hostile-text/escape-text.ts'
import { Problem } from '../../problem/problem.ts'
import type { IsThere } from '../../query/attribution/attribute-scanned.ts'
import type { Attribution, Candidate, Period, ScannedCandidate } from '../../query/attribution/attribution.ts'
import { answerFromIndex } from '../answer.ts'
import { safeJson } from '../output/safe-json.ts'
import { type CommonOptions, placeFrom, withCommonOptions, withRefreshOption } from '../settings.ts'
import { type CommandOf, commandWith } from './command.ts'

interface AttributeOptions extends CommonOptions {
  text?: string
  textFile?: string
  entry?: string
  session?: string
  at?: string
  utc?: boolean
  refresh?: boolean
}

/** `coord attribute`: whose words a text or an entry holds, as far as the record shows it. */
export const attributeCommand: CommandOf = (console, finish) =>
  withRefreshOption(
    withCommonOptions(
      commandWith(
        'attribute',
        'say whose words a text is, by what evidence, and what else it may be',
        'coord attribute --text "Read both, but write only numbers."\ncoord attribute --entry 7d1f0c1e-5b0a-4c38-9f51-0d5a3b0c1a01/2026-11-02T103302.480Z-sample-000006.json',
      ),
    ),
  )
    .option('--text <text>', 'the text')
    .option('--text-file <file>', 'a file that holds exactly the text')
    .option('--entry <path>', "an entry's file, as coord query prints it")
    .option('--session <id>', 'the session the text stands in')
    .option('--at <time>', 'when: a day, or a time give or take ten minutes')
    .option('--utc', 'show times in UTC instead of local time')
    .addHelpText('after', VERDICTS)
    .action(async (options: AttributeOptions) => {
      const place = placeFrom(options)
      const { attributeEntry, attributeText } = await import('../../query/attribution/attribute.ts')
      const text = textOf(options)
      checkUse(options)
      const during = options.at === undefined ? undefined : await periodOf(options.at)
      const gone = new Set<string>()
      const { standsThere } = await import('../../scan/check/stands-there.ts')
      const isThere: IsThere = (transcript, words) => {
        const there = standsThere(transcript, words)
        if (!there) gone.add(`${transcript.file}:${transcript.line}`)
        return there
      }
      const exit = await answerFromIndex(place, options, console, async ({ db, freshness }) => {
        const { refuseShortenedId } = await import('../../query/read-chains.ts')
        if (options.session !== undefined) refuseShortenedId(db, options.session)
        const where = {
          ...(options.session ? { sessionId: options.session } : {}),
          ...(during ? { during } : {}),
        }
        const answer =
          text === null
            ? attributeEntry(db, entryPath(options.entry as string, place.recordDir), isThere)
            : attributeText(db, text, where, isThere)
        return [
          options.json
            ? `${safeJson({ freshness, ...answer })}\n`
            : await describe(answer, options.utc ?? false),
        ]
      })
      for (const place of gone)
        console.tell(`coord: a scan found it in ${escapeText(place)}; it is there no more, and no evidence`)
      finish(exit)
    })

const VERDICTS = `
The text must be the whole text of a message, character for character.
Verdicts: person, peer (a message of another session), launcher, notice, ambiguous (of one of several), unknown.
Evidence: msgId (the host's message id on both sides), record (an entry states it), transcript (a row that a scan found;
coord scan), candidates (entries that fit, never a match), none.`

/** The text that is asked about; null where an entry is. */
function textOf({ text, textFile, entry }: AttributeOptions): string | null {
  const given = [text, textFile, entry].filter(one => one !== undefined)
  if (given.length !== 1) {
    throw new Problem('usage', 'one of --text, --text-file and --entry is needed', {
      hint: 'coord attribute --help',
    })
  }
  if (textFile === undefined) return text ?? null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(textFile))
  } catch (error) {
    const why = error instanceof TypeError ? 'it is not UTF-8' : (error as Error).message
    throw new Problem('failed', `${textFile} cannot be read: ${why}`, {
      path: resolve(textFile),
      cause: error,
    })
  }
}

/** An entry says itself in which session it lies and when it was; a session must be named in full. */
function checkUse({ entry, session, at }: AttributeOptions): void {
  if (session === '')
    throw new Problem('usage', '--session names nothing', { hint: 'leave it out, or name a session in full' })
  if (entry !== undefined && (session !== undefined || at !== undefined)) {
    throw new Problem('usage', '--entry goes without --session and --at', {
      hint: 'an entry states both itself',
    })
  }
}

function entryPath(entry: string, recordDir: string): string {
  // As coord query prints it, or as a shell completes it from the current folder.
  const path =
    existsSync(join(recordDir, entry)) || !existsSync(entry) ? resolve(recordDir, entry) : resolve(entry)
  const inRecord = relative(recordDir, path)
  return inRecord.split(/[\\/]/).join('/')
}

const AROUND_MS = 10 * 60_000
/** A time that is written to the minute; what is longer is a day. */
const LONGEST_MOMENT_MS = 60_000

/** A day is meant whole; a moment is meant roughly, since the receiving and the reading of a message lie apart. */
async function periodOf(at: string): Promise<Period> {
  const { readTime, TIME_FORMS } = await import('../../query/filter/time-value.ts')
  const span = readTime(at, new Date())
  if (span === null) throw new Problem('usage', `--at is no time: ${at}`, { hint: TIME_FORMS })
  const around = span.to - span.from > LONGEST_MOMENT_MS ? 0 : AROUND_MS
  const isInCalendar = [span.from - around, span.to + around].every(
    time => !Number.isNaN(new Date(time).getTime()),
  )
  if (!isInCalendar) throw new Problem('usage', `--at is out of the calendar: ${at}`, { hint: TIME_FORMS })
  return {
    from: new Date(span.from - around).toISOString(),
    to: new Date(span.to - 1 + around).toISOString(),
  }
}

async function describe({ verdict, evidence, candidates }: Attribution, utc: boolean): Promise<string> {
  const { formatTime } = await import('../output/local-time.ts')
  const lines = candidates.map(one => {
    const at = one.at === null ? 'at an unknown time' : formatTime(one.at, { utc })
    return `  ${at}  ${'transcript' in one ? describeRow(one) : describeEntry(one)}`
  })
  return `${[`${verdict} (evidence: ${evidence})`, ...lines].join('\n')}\n`
}

function describeEntry({ side, sessionId, peer, file, fate }: Candidate): string {
  const other = escapeText(peer.sessionId ?? peer.as ?? 'unknown peer')
  const way = side === 'sent' ? `sent by ${sessionId} to ${other}` : `received by ${sessionId} from ${other}`
  return `${way}${fate === null ? '' : `, fate ${fate}`}  ${escapeText(file)}`
}

function describeRow({ label, kind, sessionId, senderSessionId, transcript }: ScannedCandidate): string {
  const sender = senderSessionId === null ? '' : `, sent by ${escapeText(senderSessionId)}`
  return (
    escapeText(`${label} (${kind}) in ${sessionId}`) +
    `${sender}  ${escapeText(transcript.file)}:${transcript.line}`
  )
}
