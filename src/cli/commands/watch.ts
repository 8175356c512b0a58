import { escapeText } from '../../hostile-text/escape-text.ts'
import type { Change } from '../../indexer/loading.ts'
import { reportTo } from '../answer.ts'
import { asProblem } from '../exit.ts'
import { safeJson } from '../output/safe-json.ts'
import { problemText } from '../problem-text.ts'
import { type CommonOptions, placeFrom, withCommonOptions } from '../settings.ts'
import { type CommandOf, commandWith } from './command.ts'

/** `coord watch`: keeps the index up to date until it is ended. */
export const watchCommand: CommandOf = (console, finish) =>
  withCommonOptions(
    commandWith(
      'watch',
      'keep the index and the plugin’s projections up to date until Ctrl-C',
      'coord watch --json',
    ),
  ).action(async (options: CommonOptions) => {
    const { watchRecord } = await import('../../indexer/watch-record.ts')
    const { checkRecord } = await import('../../indexer/listing.ts')
    const place = placeFrom(options)
    checkRecord(place.recordDir)
    const end = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort())
    let isStarted = false
    let lastFailure = ''
    await watchRecord(place, {
      signal: end.signal,
      report: {
        ...reportTo(console),
        // After the first, a refresh is short; how far it is would drown what it finds.
        progress: files => {
          if (!isStarted) reportTo(console).progress?.(files)
        },
        change: change => {
          // What the first refresh finds has not changed now; it is what there is.
          if (isStarted) void console.print(options.json ? `${safeJson(change)}\n` : describe(change))
        },
      },
      onRefresh() {
        lastFailure = ''
        if (!isStarted) console.tell(`coord: watching ${place.recordDir}`)
        isStarted = true
      },
      onFailure(error) {
        const text = problemText(asProblem(error))
        if (text !== lastFailure) console.tell(text)
        lastFailure = text
      },
    })
    finish(0)
  })

function describe({ change, file, kind, reason }: Change): string {
  const what = [kind, reason].filter(one => one !== undefined).join(' ')
  return `${change} ${escapeText(file)}${what === '' ? '' : ` (${escapeText(what)})`}\n`
}
