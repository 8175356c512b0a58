import { closeSync } from 'node:fs'
import { writeWholeFiles } from '../../files/whole-file.ts'
import { type Manifest, type ManifestSource, rootsOf } from '../manifest.ts'
import { type Direction, LABELS } from '../message.ts'
import { readDecisions } from './decisions.ts'
import { cellText, plainText, quotation } from './markdown.ts'
import { readDirections, readExclusions, readManifest, readUnresolved } from './read-result.ts'
import { openResultFile, readRowAt } from './read-rows.ts'
import { RESULT_FILES, resultFile } from './result-folder.ts'
import { directionRow, type UnresolvedRow } from './rows.ts'

/** What a person sees of a long list; the files hold all of it. */
const MOST_LISTED = 500

/**
 * Writes `report.md` from the files of a result. Its first lines say whether the result is complete, and every word of
 * a transcript in it is text and nothing else.
 */
export function writeReport(out: string): void {
  const manifest = readManifest(out)
  writeWholeFiles([resultFile(out, 'report')], ([file]) => {
    const line = (...lines: string[]) => {
      for (const one of lines) file.write(`${one}\n`)
    }
    head(manifest, line)
    counts(manifest, line)
    sources(manifest, line)
    directions(out, manifest, line)
    unresolved(out, line)
    exclusions(out, line)
    decisions(out, manifest, line)
  })
}

type Line = (...lines: string[]) => void

function head(manifest: Manifest, line: Line): void {
  const { status, tool, scannedAt, check, options } = manifest
  line('# Whose words were these', '')
  line(`**Status: ${status}.** ${statusWords(manifest)}`, '')
  line(
    `Scanned ${plainText(scannedAt)} by coord ${plainText(tool.version)} (revision ${plainText(tool.revision)}).`,
    '',
  )
  const roots = rootsOf(options)
  line(`Looked at: ${roots.length === 0 ? 'nothing' : roots.map(root => plainText(root)).join(', ')}.`)
  const limits = [
    options.project === null ? null : `project ${plainText(options.project)}`,
    options.since === null ? null : `since ${plainText(options.since)}`,
    options.until === null ? null : `until ${plainText(options.until)}`,
  ].filter(limit => limit !== null)
  if (limits.length > 0) line('', `Only: ${limits.join(', ')}.`)
  if (!check || check.problems.length === 0) return
  line('', `The check of ${plainText(check.at)} found:`, '')
  for (const problem of check.problems.slice(0, MOST_LISTED)) line(`- ${plainText(problem)}`)
  more(check.problems.length, line)
}

function statusWords({ status, check }: Manifest): string {
  if (status === 'complete')
    return `The check of ${plainText(check?.at ?? '')} passed, and nothing was changed since.`
  if (!check) return 'No check has passed yet: rely on nothing in it being whole.'
  return check.passed
    ? 'It was changed since the check passed.'
    : 'The last check did not pass: rely on nothing in it being whole.'
}

function counts({ counts }: Manifest, line: Line): void {
  line('', '## Counts', '', '| label | messages |', '| --- | ---: |')
  for (const label of LABELS) line(`| ${label} | ${counts.messages[label]} |`)
  line('')
  line(
    `${counts.directions} directions; ${counts.places} places in ${counts.lines} lines of ${counts.sources} sources ` +
      `(${counts.bytes} bytes); ${counts.malformed} malformed lines; ${counts.exclusions} exclusions.`,
  )
}

function sources({ sources }: Manifest, line: Line): void {
  line('', '## Sources', '')
  if (sources.length === 0) return line('None.')
  line('| file | product | bytes | lines | malformed | from | to | SHA-256 |')
  line('| --- | --- | ---: | ---: | ---: | --- | --- | --- |')
  for (const source of sources.slice(0, MOST_LISTED)) line(sourceLine(source))
  more(sources.length, line)
}

function sourceLine({ file, product, size, counts, firstAt, lastAt, sha256 }: ManifestSource): string {
  const cells = [cellText(file), product, size, counts.lines, counts.malformed]
  return `| ${[...cells, cellText(firstAt ?? ''), cellText(lastAt ?? ''), sha256.slice(0, 16)].join(' | ')} |`
}

/** By session, each in the order of time; where a row stands is kept, not the row. */
function directions(out: string, { counts }: Manifest, line: Line): void {
  line('', '## Directions', '')
  if (counts.directions === 0) return line('None.')
  line('What the person said, and what became of it. By chain: `coord query directions --order chain`.')
  const bySession = new Map<string, { offset: number; length: number }[]>()
  for (const { row, offset, length } of readDirections(out)) {
    const places = bySession.get(row.session) ?? []
    if (places.length === 0) bySession.set(row.session, places)
    places.push({ offset, length })
  }
  const path = resultFile(out, 'directions')
  const file = openResultFile(path)
  try {
    for (const [session, places] of bySession) {
      line('', `### Session ${plainText(session)}`)
      for (const place of places) direction(readRowAt(file, path, place, directionRow), line)
    }
  } finally {
    closeSync(file)
  }
}

function direction(row: Direction, line: Line): void {
  const { id, at, cwd, product, words, outcome } = row
  line('', `#### ${plainText(at ?? 'no time')} · ${plainText(id)}`, '')
  line(...quotation(words), '')
  line(`- in ${plainText(cwd ?? 'an unknown folder')} (${product})`)
  line(
    outcome === null
      ? '- **outcome: not traced yet**'
      : `- **outcome: ${outcome.name}**, said by ${plainText(outcome.by ?? 'somebody')}: ${plainText(outcome.evidence, 1_000)}`,
  )
  for (const one of followed(row)) line(`- ${one}`)
}

function followed(row: Direction): string[] {
  const { end, endedAt, filesEdited, commands, commits, agents, lastWords, next } = row
  const list = (texts: string[]) =>
    texts
      .slice(0, 20)
      .map(text => plainText(text, 200))
      .join(', ') + (texts.length > 20 ? `, and ${texts.length - 20} more` : '')
  const lines = [`the turn's end: ${end}${endedAt === null ? '' : ` at ${plainText(endedAt)}`}`]
  if (filesEdited.length > 0) lines.push(`files edited: ${list(filesEdited)}`)
  if (commands.length > 0)
    lines.push(
      `commands: ${list(commands.map(({ command, exit }) => `${command} (${exit === null ? 'exit unknown' : `exit ${exit}`})`))}`,
    )
  if (commits.length > 0) lines.push(`commits named: ${list(commits)}`)
  if (agents.length > 0)
    lines.push(`agents: ${list(agents.map(agent => agent.description ?? agent.id ?? 'unnamed'))}`)
  if (lastWords !== null) lines.push(`the assistant's last words: ${plainText(lastWords, 300)}`)
  if (next !== null) lines.push(`the person's next message: ${plainText(next)}`)
  return lines
}

function unresolved(out: string, line: Line): void {
  line('', '## Unresolved', '')
  let count = 0
  for (const { row } of readUnresolved(out)) {
    count += 1
    if (count <= MOST_LISTED) unresolvedMessage(row, line)
  }
  if (count === 0) line('None.')
  more(count, line)
}

function unresolvedMessage({ id, at, kind, words, source, decision }: UnresolvedRow, line: Line): void {
  line(`### ${plainText(at ?? 'no time')} · ${plainText(id)}`, '', ...quotation(words, { most: 600 }), '')
  line(`- ${plainText(kind)}, ${plainText(source.file)} line ${source.line}`)
  line(
    decision === null
      ? '- **not settled**'
      : `- settled as **${decision.label}** by ${plainText(decision.by ?? 'somebody')}: ${plainText(decision.reason, 1_000)}`,
    '',
  )
}

function exclusions(out: string, line: Line): void {
  line('', '## Exclusions', '')
  let count = 0
  for (const { row } of readExclusions(out)) {
    count += 1
    if (count > MOST_LISTED) continue
    const where = row.line === null ? plainText(row.file) : `${plainText(row.file)} line ${row.line}`
    line(`- ${where}: ${plainText(row.reason)}`)
  }
  if (count === 0) line('None.')
  more(count, line)
}

/** Decisions whose messages are gone are kept in their file, and named here. */
function decisions(out: string, { orphanedDecisions }: Manifest, line: Line): void {
  const { all } = readDecisions(out)
  if (all.length === 0) return
  line('', '## Decisions', '', `${all.length} in ${RESULT_FILES.decisions}.`)
  if (orphanedDecisions.length === 0) return
  line('', 'Kept, though this scan holds no such message:', '')
  for (const id of orphanedDecisions.slice(0, MOST_LISTED)) line(`- ${plainText(id)}`)
  more(orphanedDecisions.length, line)
}

function more(count: number, line: Line): void {
  if (count > MOST_LISTED) line('', `… and ${count - MOST_LISTED} more in the files beside this one.`)
}
