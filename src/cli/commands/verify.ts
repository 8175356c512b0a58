import type { Database } from '../../database/sqlite.ts'
import { escapeText } from '../../hostile-text/escape-text.ts'
import type { Verified } from '../../indexer/verify-record.ts'
import { answerFromIndex, refreshed } from '../answer.ts'
import { EXIT } from '../exit.ts'
import { safeJson } from '../output/safe-json.ts'
import { type CommonOptions, placeFrom, withCommonOptions } from '../settings.ts'
import { type CommandOf, commandWith } from './command.ts'

/** `coord verify`: re-reads the whole record and compares it with the index. */
export const verifyCommand: CommandOf = (console, finish) =>
  withCommonOptions(
    commandWith(
      'verify',
      're-read every file of the record and compare it with the index',
      'coord verify --json',
    ),
  ).action(async (options: CommonOptions) => {
    const { verifyRecord } = await import('../../indexer/verify-record.ts')
    const { indexFileState } = await import('../../database/index-file.ts')
    const place = placeFrom(options)
    if (indexFileState(place.indexPath).state !== 'current') await refreshed(place, {}, console)
    let isRefused = false
    const exit = await answerFromIndex(place, { refresh: false }, console, ({ db, freshness }) => {
      const onFile = (files: number) =>
        console.progress(`verifying: ${files.toLocaleString('en')} files read`)
      const answer = { indexIsSound: isSound(db), ...verifyRecord(db, place.recordDir, onFile) }
      const ok = answer.indexIsSound && answer.differences.length === 0
      isRefused = !ok
      return [options.json ? `${safeJson({ freshness, ok, ...answer })}\n` : describe(answer)]
    })
    if (isRefused) console.tell('hint: coord index --rebuild takes the record as it is now')
    finish(isRefused ? EXIT.refused : exit)
  })

/** SQLite's own look at the file, and the search table's at the texts. */
function isSound(db: Database): boolean {
  return db.pragma('integrity_check(1)', { simple: true }) === 'ok'
}

const MEANING = {
  changed: 'other bytes than when it was indexed; an entry is never rewritten',
  gone: 'in the index, but no longer in the record',
  unindexed: 'in the record, but not in the index',
  index: 'the index holds something else than the file',
}

function describe({
  indexIsSound,
  filesChecked,
  filesNew,
  differences,
}: Verified & { indexIsSound: boolean }): string {
  const lines = differences.map(({ file, what }) => `${escapeText(file)}: ${what} (${MEANING[what]})`)
  if (!indexIsSound) lines.push('the index file is damaged')
  const found = differences.length === 0 ? 'no difference' : `${differences.length} differences`
  const fresh = filesNew > 0 ? `; ${filesNew} of them are newer than the index` : ''
  lines.push(`${filesChecked} files checked, ${found}${fresh}`)
  return `${lines.join('\n')}\n`
}
