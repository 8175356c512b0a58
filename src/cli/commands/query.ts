import { Problem } from '../../problem/problem.ts'
import type { QueryRequest } from '../../query/run-query.ts'
import { answerFromIndex, type Source } from '../answer.ts'
import type { Console } from '../console.ts'
import { type CommonOptions, placeFrom, withCommonOptions, withRefreshOption } from '../settings.ts'
import { type CommandOf, commandWith } from './command.ts'

const FORMATS = ['table', 'json', 'ndjson', 'csv', 'tsv'] as const
type Format = (typeof FORMATS)[number]

interface QueryOptions extends CommonOptions {
  select?: string
  order?: string
  limit?: string
  format?: string
  count?: boolean
  columns?: boolean
  utc?: boolean
  refresh?: boolean
}

/** `coord query`: rows of one relation, by a filter. */
export const queryCommand: CommandOf = (console, finish) =>
  withRefreshOption(withCommonOptions(commandWith('query', DESCRIPTION, EXAMPLES)))
    .argument('<relation>', RELATIONS)
    .argument('[filter]', 'which rows; all of them without one')
    .option('--select <columns>', 'the columns to print, in this order: a,b')
    .option('--order <columns>', 'the order: "at desc, session_id"')
    .option('--limit <n>', 'at most so many rows')
    .option('--format <format>', `how to print: ${FORMATS.join(', ')}`)
    .option('--count', 'print only how many rows there are')
    .option('--columns', 'list the columns of the relation')
    .option('--utc', 'show times of a table in UTC instead of local time')
    .addHelpText('after', FILTERS)
    .action(async (relation: string, filter: string | undefined, options: QueryOptions) => {
      finish(await query({ relation, filter, options }, console))
    })

const RELATIONS =
  'entries, messages, sessions, chain, unreadable; of scans: directions, scanned_messages, sources, results; of YAML chains: runs, steps'

const DESCRIPTION =
  'find entries, messages, sessions, joins, scanned directions, runs of YAML chains and unreadable files by a filter'

const EXAMPLES = `coord query messages "side = 'received' and at >= today"
coord query messages "text match 'schema drift'" --select at,session_id,text
coord query messages --order "at desc" --limit 5
coord query sessions "role = 'lead' and last_heard < 2h"     # leads not heard of for two hours
coord query entries --count
coord query directions "at > 7d and outcome is null" --order chain   # asked in the last week, and not traced yet`

const FILTERS = `
Filters: column = != < <= > >= value, like 'a%', in (…), is [not] null, between … and …, and or not ( ).
  Text stands in single quotes; like does not tell upper from lower case of a to z.
  text match 'words "a phrase" begin*' searches message texts (words match … those of scans): every word must occur, or between words allows either.
  Times: '2026-11-01' (the whole day here), '2026-11-01T10:00' (the whole minute), today, yesterday, now, 30m, 2h, 7d
  (that long ago: at > 2h is within the last two hours).`

interface Question {
  relation: string
  filter: string | undefined
  options: QueryOptions
}

async function query(question: Question, console: Console): Promise<number> {
  const { options } = question
  const { checkRequest } = await import('../../query/run-query.ts')
  const { sqliteDialect } = await import('../../sqlite/dialect.ts')
  if (options.columns) return listColumns(question, console)
  const format = formatOf(options)
  const request: QueryRequest = {
    relation: question.relation,
    filter: question.filter,
    select: options.select ?? (await tableColumns(question.relation, format)),
    order: options.order,
    limit: limitOf(options.limit),
    now: new Date(),
    dialect: sqliteDialect,
  }
  // A question that cannot be asked is told before a large record is indexed for it.
  checkRequest(request)
  return answerFromIndex(placeFrom(options), options, console, source =>
    options.count ? count(source, request, format) : rows(source, request, format, options, console),
  )
}

async function rows(
  { db, freshness }: Source,
  request: QueryRequest,
  format: Format,
  options: QueryOptions,
  console: Console,
) {
  const { runQuery } = await import('../../query/run-query.ts')
  const { askable } = await import('../../sqlite/dialect.ts')
  const { writeJsonDocument, writeRows } = await import('../output/rows-out.ts')
  const chunks: string[] = []
  const write = (chunk: string) => void chunks.push(chunk)
  const result = runQuery(askable(db), request)
  if (format === 'json') {
    await writeJsonDocument(
      { freshness, columns: result.columns.map(({ name }) => name) },
      result.rows,
      write,
    )
  } else {
    const { width, isColour: colour } = console
    await writeRows(result, format, {
      utc: options.utc ?? false,
      colour,
      write,
      ...(width === undefined ? {} : { width }),
    })
  }
  return chunks
}

async function count({ db, freshness }: Source, request: QueryRequest, format: Format): Promise<string[]> {
  const { countRows } = await import('../../query/run-query.ts')
  const { askable } = await import('../../sqlite/dialect.ts')
  const { safeJson } = await import('../output/safe-json.ts')
  const rows = await countRows(askable(db), request)
  if (format !== 'json') return [`${rows}\n`]
  return [`${safeJson({ freshness, columns: ['count'], rows: [{ count: rows }] })}\n`]
}

async function listColumns({ relation, options }: Question, console: Console): Promise<number> {
  const { findRelation } = await import('../../query/relation.ts')
  const { recordRelations } = await import('../../query/relations.ts')
  const { safeJson } = await import('../output/safe-json.ts')
  const { writeRows } = await import('../output/rows-out.ts')
  const columns = findRelation(relation, recordRelations).columns.map(({ name, type, description }) => ({
    name,
    type,
    description,
  }))
  if (formatOf(options) === 'json') {
    await console.print(`${safeJson({ relation, columns })}\n`)
    return 0
  }
  const heads = ['name', 'type', 'description'].map(name => ({ name, type: 'text' as const }))
  const chunks: string[] = []
  await writeRows({ columns: heads, rows: columns }, 'table', {
    colour: console.isColour,
    write: chunk => void chunks.push(chunk),
  })
  await console.print(chunks.join(''))
  return 0
}

/** A table shows the columns that fit a terminal; the other formats are for programs and hold them all. */
async function tableColumns(relation: string, format: Format): Promise<string | undefined> {
  const { findRelation } = await import('../../query/relation.ts')
  const { recordRelations } = await import('../../query/relations.ts')
  const found = findRelation(relation, recordRelations)
  return format === 'table' ? found.tableColumns.join(',') : undefined
}

function formatOf({ format, json }: QueryOptions): Format {
  if (format === undefined) return json ? 'json' : 'table'
  const lower = format.toLowerCase() as Format
  if (!FORMATS.includes(lower)) {
    throw new Problem('usage', `unknown format ${format}`, { hint: `formats: ${FORMATS.join(', ')}` })
  }
  if (json && lower !== 'json') throw new Problem('usage', `--json and --format ${format} exclude each other`)
  return lower
}

function limitOf(limit: string | undefined): number | undefined {
  if (limit === undefined) return undefined
  if (!/^\d+$/.test(limit)) throw new Problem('usage', `--limit takes a whole number, not ${limit}`)
  return Number(limit)
}
