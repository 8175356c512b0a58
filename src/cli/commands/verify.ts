import { escapeText } from '../../hostile-text/escape-text.ts'
import type { Verified } from '../../indexer/verify-index.ts'
import { answerFromIndex, refreshed, reportTo } from '../answer.ts'
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
    const { verifyIndex } = await import('../../indexer/verify-index.ts')
    const { SILENT } = await import('../../indexer/indexer-report.ts')
    const { indexFileState } = await import('../../sqlite/index-file.ts')
    const place = placeFrom(options)
    if (indexFileState(place.indexPath).state !== 'current') await refreshed(place, {}, console)
    const verified = await verifyIndex(place, {
      ...SILENT,
      ...reportTo(console),
      progress: files => console.progress(`verifying: ${files.toLocaleString('en')} files read`),
    })
    const ok = verified.indexIsSound && verified.differences.length === 0
    // An index that is not sound says nothing of how fresh it is.
    if (!verified.indexIsSound) {
      await console.print(
        options.json ? `${safeJson({ freshness: null, ok, ...verified })}\n` : describe(verified),
      )
      console.tell(REBUILD)
      return finish(EXIT.refused)
    }
    const exit = await answerFromIndex(place, { refresh: false }, console, ({ freshness }) => [
      options.json ? `${safeJson({ freshness, ok, ...verified })}\n` : describe(verified),
    ])
    if (!ok) console.tell(REBUILD)
    finish(ok ? exit : EXIT.refused)
  })

const REBUILD = 'hint: coord index --rebuild takes the record as it is now'

const MEANING = {
  changed: 'other bytes than when it was indexed; an entry is never rewritten',
  gone: 'in the index, but no longer in the record',
  unindexed: 'in the record, but not in the index',
  index: 'the index holds something else than the file',
}

function describe({ indexIsSound, filesChecked, filesNew, differences }: Verified): string {
  const lines = differences.map(({ file, what }) => `${escapeText(file)}: ${what} (${MEANING[what]})`)
  if (!indexIsSound) lines.push('the index file is damaged')
  const found =
    differences.length === 0
      ? 'no difference'
      : `${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}`
  const fresh = filesNew > 0 ? `; ${filesNew} of them are newer than the index` : ''
  lines.push(`${filesChecked} files checked, ${found}${fresh}`)
  return `${lines.join('\n')}\n`
}
