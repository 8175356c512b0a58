import type { Verified } from '../../indexer/verify-record.ts'
import { answerFromIndex } from '../answer.ts'
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
    const place = placeFrom(options)
    let differs = false
    const exit = await answerFromIndex(place, {}, console, ({ db, freshness }) => {
      const verified = verifyRecord(db, place.recordDir, files =>
        console.progress(`verifying: ${files.toLocaleString('en')} files read`),
      )
      differs = verified.differences.length > 0
      if (options.json) return [`${safeJson({ freshness, ok: !differs, ...verified })}\n`]
      return [describe(verified)]
    })
    if (differs) console.tell('hint: coord index --rebuild takes the record as it is now')
    finish(differs ? EXIT.refused : exit)
  })

const MEANING = {
  changed: 'other bytes than when it was indexed; an entry is never rewritten',
  gone: 'in the index, but no longer in the record',
  unindexed: 'in the record, but not in the index',
  index: 'the index holds something else than the file',
}

function describe({ filesChecked, differences }: Verified): string {
  const lines = differences.map(({ file, what }) => `${file}: ${what} (${MEANING[what]})`)
  lines.push(
    `${filesChecked} files checked, ${differences.length === 0 ? 'no difference' : `${differences.length} differences`}`,
  )
  return `${lines.join('\n')}\n`
}
