import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Database } from '../../database/database.ts'
import { escapeText } from '../../hostile-text/escape-text.ts'
import { isInside, type Place } from '../../indexer/place.ts'
import { Problem } from '../../problem/problem.ts'
import { FORMATS } from '../../scan/formats.ts'
import type { ScanOptions } from '../../scan/manifest.ts'
import { LABELS } from '../../scan/message.ts'
import type { WrittenResult } from '../../scan/result/write-result.ts'
import type { TranscriptFormat } from '../../scan/transcript-format.ts'
import { refreshed } from '../answer.ts'
import type { Console } from '../console.ts'
import { EXIT } from '../exit.ts'
import { makeKnown } from '../make-known.ts'
import { safeJson } from '../output/safe-json.ts'
import { thisTool } from '../revision.ts'
import {
  type CommonOptions,
  given,
  placeFrom,
  surroundings,
  transcriptCache,
  withCommonOptions,
} from '../settings.ts'
import { type CommandOf, commandWith } from './command.ts'
import { resultPath } from './result-path.ts'
import { checkCommand } from './scan-check.ts'
import { compareCommand } from './scan-compare.ts'
import { resolveCommand, traceCommand } from './scan-decide.ts'
import { promptCommand } from './scan-prompt.ts'

interface ScanCommandOptions extends CommonOptions {
  /** Roots, by the option of their format. */
  [option: string]: unknown
  project?: string
  since?: string
  until?: string
}

/** `coord scan OUT`: the person's words out of transcripts, into a folder that the caller names. */
export const scanCommand: CommandOf = (console, finish) => {
  const scan = withCommonOptions(commandWith('scan', DESCRIPTION, EXAMPLES))
    .usage('[options] <out>')
    .argument('<out>', 'the folder of the result: a new one, an empty one, or an earlier result')
  for (const { title, home } of FORMATS)
    scan.option(
      `--${home.option} <dir...>`,
      `${title}'s folder, a folder of transcripts or one file (else ${home.variable} or ~/${home.folder})`,
    )
  scan
    .option('--project <path>', 'only sessions that worked in this folder or below it')
    .option('--since <time>', 'only what was said since then: a day, a time, 7d')
    .option('--until <time>', 'only what was said until then')
    .addHelpText('after', STEPS)
    // Options that stand after the name of a command below are that command's.
    .enablePositionalOptions()
    .helpCommand(false)
    .action(async (out: string, options: ScanCommandOptions) => finish(await scanInto(out, options, console)))
  for (const command of [checkCommand, resolveCommand, traceCommand, compareCommand, promptCommand])
    scan.addCommand(command(console, finish))
  return scan
}

const DESCRIPTION = "find the person's words in transcripts, told apart from what only looks like them"

const EXAMPLES = `coord scan ./scan-2026-11                                   # all sessions of this machine
coord scan ./out --claude ~/.claude /mnt/laptop/claude --project ~/shop --since 30d
coord query directions "at > 7d and outcome is null" --order chain`

const STEPS = `
A result is incomplete until its check passes: coord scan prompt OUT (for a session that reads it), coord scan trace and
resolve OUT ID (what was found out), coord scan check OUT. A folder named like one of these is written ./check.`

async function scanInto(out: string, options: ScanCommandOptions, console: Console): Promise<number> {
  const started = performance.now()
  const path = resultPath(out)
  const place = placeFrom(options)
  if (isInside(place.recordDir, path)) {
    throw new Problem('usage', `${path} lies in the record, which holds nothing but entries`, {
      path,
      hint: 'name a folder outside of it',
    })
  }
  const scanOptions = await optionsFrom(options)
  const { prepareResultFolder } = await import('../../scan/result/result-folder.ts')
  prepareResultFolder(path)
  const written = await scanAndWrite(path, place, scanOptions, console)
  const isKnown = makeKnown(place, 'scan', path, console)
  if (isKnown || existsSync(place.recordDir)) await refreshed(place, {}, console)
  const elapsedMs = Math.round(performance.now() - started)
  await console.print(
    options.json ? `${safeJson(asDocument(path, written, elapsedMs))}\n` : describe(path, written),
  )
  return written.isPartial ? EXIT.partial : EXIT.done
}

/** The result, and whether something that was found could not be read. */
type Scanned = WrittenResult & { isPartial: boolean; read: { kept: number; resumed: number; read: number } }

async function scanAndWrite(
  out: string,
  place: Place,
  options: ScanOptions,
  console: Console,
): Promise<Scanned> {
  const { scanTranscripts } = await import('../../scan/scan.ts')
  const { recordLookup } = await import('../../scan/record-in-index.ts')
  const { writeResult } = await import('../../scan/result/write-result.ts')
  const { isFailure } = await import('../../scan/transcripts/find-sources.ts')
  const scannedAt = new Date()
  const db = await openRecord(place, console)
  try {
    const scanned = scanTranscripts({
      options: { ...options, recordDir: db === null ? null : place.recordDir },
      record: db === null ? null : recordLookup(db),
      cacheDir: transcriptCache(),
      revision: thisTool.revision,
      onSource: (_, at, of) =>
        console.progress(`scanning: ${at.toLocaleString('en')} of ${of.toLocaleString('en')} transcripts`),
    })
    const origin = {
      options: { ...options, recordDir: db === null ? null : place.recordDir },
      tool: thisTool,
      scannedAt,
    }
    const written = await writeResult(out, scanned, origin)
    return { ...written, isPartial: scanned.exclusions.some(isFailure), read: scanned.work }
  } finally {
    db?.close()
  }
}

/** The index of the record, brought up to date; null where there is no record. */
async function openRecord(place: Place, console: Console): Promise<Database | null> {
  const { openIndex } = await import('../../sqlite/read-index.ts')
  if (!existsSync(place.recordDir)) return null
  await refreshed(place, {}, console)
  return openIndex(place.indexPath, place.recordDir)
}

async function optionsFrom(options: ScanCommandOptions): Promise<ScanOptions> {
  const [since, until] = [
    await timeOf('--since', options.since, 'from'),
    await timeOf('--until', options.until, 'to'),
  ]
  if (since !== null && until !== null && since > until)
    throw new Problem('usage', `--since ${options.since} is later than --until ${options.until}`, {
      hint: 'name the earlier time with --since',
    })
  const isNamed = FORMATS.some(({ home }) => options[home.option] !== undefined)
  return {
    ...(isNamed ? namedRoots(options) : defaultRoots()),
    project: options.project === undefined ? null : resolve(given('--project', options.project)),
    since,
    until,
    recordDir: null,
  }
}

/** Roots by the option of their format. */
type Roots = Record<string, string[]>

function namedRoots(options: ScanCommandOptions): Roots {
  const named = ({ home: { option } }: TranscriptFormat) => (options[option] as string[] | undefined) ?? []
  return rootsBy(format => named(format).map(root => resolve(given(`--${format.home.option}`, root))))
}

/** The programs' own folders, as far as they are there. */
function defaultRoots(): Roots {
  const folderOf = ({ home }: TranscriptFormat) =>
    process.env[home.variable] || join(surroundings(process.env).home ?? '', home.folder)
  const folders = FORMATS.map(folderOf)
  if (!folders.some(folder => existsSync(folder))) {
    throw new Problem('not-found', `there are no transcripts: neither ${folders.join(' nor ')} is there`, {
      hint: `name a folder with ${FORMATS.map(({ home }) => `--${home.option}`).join(' or ')}`,
    })
  }
  return rootsBy(format => [folderOf(format)].filter(folder => existsSync(folder)))
}

function rootsBy(rootsOf: (format: TranscriptFormat) => string[]): Roots {
  return Object.fromEntries(FORMATS.map(format => [format.home.option, rootsOf(format)]))
}

async function timeOf(option: string, text: string | undefined, end: 'from' | 'to'): Promise<string | null> {
  if (text === undefined) return null
  const { readTime, TIME_FORMS } = await import('../../query/filter/time-value.ts')
  const span = readTime(text, new Date())
  const time = span === null ? null : new Date(end === 'from' ? span.from : span.to - 1)
  if (time === null || Number.isNaN(time.getTime()))
    throw new Problem('usage', `${option} is no time: ${text}`, { hint: TIME_FORMS })
  return time.toISOString()
}

function asDocument(out: string, { manifest, decisions, read }: Scanned, elapsedMs: number) {
  const { status, tool, scannedAt, counts } = manifest
  return { out, status, tool, scannedAt, ...counts, decisions, read, elapsedMs }
}

function describe(out: string, { manifest: { counts, status }, decisions }: Scanned): string {
  const unused = [...decisions.orphaned, ...decisions.unneeded]
  return [
    `${escapeText(out)}: ${status} until coord scan check passes`,
    `read       ${counts.sources} transcripts, ${counts.bytes} bytes, ${counts.lines} lines (${counts.malformed} malformed), ${counts.exclusions} exclusions`,
    `messages   ${LABELS.map(label => `${counts.messages[label]} ${label}`).join(', ')}`,
    `directions ${counts.directions}`,
    ...(decisions.kept > 0 ? [`kept       ${decisions.kept} decisions of the earlier result`] : []),
    ...(unused.length > 0 ? [`unused     decisions about ${unused.map(escapeText).join(', ')}`] : []),
    '',
  ].join('\n')
}
