import type { Database } from '../../database/database.ts'
import { escapeText } from '../../hostile-text/escape-text.ts'
import { answerFromIndex, refreshed } from '../answer.ts'
import { safeJson } from '../output/safe-json.ts'
import { type CommonOptions, placeFrom, withCommonOptions } from '../settings.ts'
import { type CommandOf, commandWith } from './command.ts'

/** `coord index`: brings the index up to date, or builds it anew. */
export const indexCommand: CommandOf = (console, finish) =>
  withCommonOptions(
    commandWith(
      'index',
      'bring the index up to date (every command that answers does so by itself)',
      'coord index --rebuild',
    ),
  )
    .option('--rebuild', 'build the index anew from the record')
    .action(async (options: CommonOptions & { rebuild?: boolean }) => {
      const place = placeFrom(options)
      const started = performance.now()
      const { work, rebuilt } = await refreshed(place, { rebuild: options.rebuild ?? false }, console)
      const exit = await answerFromIndex(place, { refresh: false }, console, async ({ db, freshness }) => {
        const answer: IndexAnswer = {
          recordDir: place.recordDir,
          index: place.indexPath,
          files: {
            seen: freshness.files,
            added: work.filesAdded,
            removed: work.filesRemoved,
            unreadable: freshness.unreadable,
            conflicts: await countConflicts(db),
          },
          sessions: db.prepare('select count(*) from session').pluck().get() as number,
          entries: freshness.entries,
          rebuilt,
          elapsedMs: Math.round(performance.now() - started),
        }
        return [options.json ? `${safeJson(answer)}\n` : describe(answer)]
      })
      finish(exit)
    })

interface IndexAnswer {
  recordDir: string
  index: string
  files: { seen: number; added: number; removed: number; unreadable: number; conflicts: number }
  sessions: number
  entries: number
  rebuilt: boolean
  elapsedMs: number
}

async function countConflicts(db: Database): Promise<number> {
  const { IS_NO_DUPLICATE } = await import('../../database/unknown-evidence.ts')
  return db
    .prepare(`select count(*) from unread u where is_conflict and ${IS_NO_DUPLICATE}`)
    .pluck()
    .get() as number
}

function describe({ recordDir, index, files, sessions, entries, rebuilt, elapsedMs }: IndexAnswer): string {
  const changes = rebuilt ? 'built anew' : `${files.added} files added, ${files.removed} removed`
  const gaps = files.unreadable > 0 ? `, ${files.unreadable} unreadable` : ''
  const conflicts = files.conflicts > 0 ? `, ${files.conflicts} of them conflicts` : ''
  return [
    `record  ${escapeText(recordDir)}`,
    `index   ${escapeText(index)} (${changes}, ${elapsedMs} ms)`,
    `holds   ${entries} entries of ${sessions} sessions; ${files.seen} files seen${gaps}${conflicts}`,
    '',
  ].join('\n')
}
