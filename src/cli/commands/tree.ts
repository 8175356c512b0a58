import type { ChainTree } from '../../chain/chain-tree.ts'
import type { Freshness } from '../../query/freshness.ts'
import { answerFromIndex } from '../answer.ts'
import { type CommonOptions, placeFrom, withCommonOptions, withRefreshOption } from '../settings.ts'
import { type CommandOf, commandWith } from './command.ts'

interface TreeOptions extends CommonOptions {
  session?: string
  all?: boolean
  utc?: boolean
  refresh?: boolean
}

/** `coord tree`: the chains of the record, or the chain of one session. */
export const treeCommand: CommandOf = (console, finish) =>
  withRefreshOption(
    withCommonOptions(
      commandWith(
        'tree',
        'print the chains: who answers to whom, and when each session was last heard',
        'coord tree\ncoord tree --session 7d1f0c1e-5b0a-4c38-9f51-0d5a3b0c1a01 --json',
      ),
    ),
  )
    .option('--session <id>', 'only the chain that this session (its full id) belongs to')
    .option('--all', 'also list the sessions that stand alone')
    .option('--utc', 'show times in UTC instead of local time')
    .action(async (options: TreeOptions) => {
      const exit = await answerFromIndex(
        placeFrom(options),
        options,
        console,
        async ({ db, freshness, gaps }) => {
          const { readChains } = await import('../../query/read-chains.ts')
          const { describeGaps } = await import('../../query/freshness.ts')
          const tree = readChains(db, options.session)
          if (!options.json) return [await treeText(tree, freshness, options)]
          const { safeJson } = await import('../output/safe-json.ts')
          const { withLastSent } = await import('../../query/last-sent.ts')
          const notices = [...tree.notices, ...describeGaps(gaps, freshness)]
          return [`${safeJson({ freshness, ...withLastSent(db, tree), notices })}\n`]
        },
      )
      finish(exit)
    })

async function treeText(tree: ChainTree, freshness: Freshness, options: TreeOptions): Promise<string> {
  const { standsAlone } = await import('../../query/read-chains.ts')
  const { treeLines } = await import('../../chain/tree-lines.ts')
  const { escapeText } = await import('../../hostile-text/escape-text.ts')
  const { formatAge, formatTime } = await import('../output/local-time.ts')
  const now = Date.parse(freshness.indexedAt) + freshness.ageMs
  const style = {
    show: escapeText,
    time: (at: string) =>
      `${formatTime(at, { utc: options.utc ?? false })} (${formatAge(now - Date.parse(at))})`,
  }
  const showsAll = options.all || options.session !== undefined
  const drawn = tree.chains.filter(root => showsAll || !standsAlone(root))
  const blocks = drawn.map(root => treeLines(root, style).join('\n'))
  if (tree.notices.length > 0) blocks.push(tree.notices.map(notice => `! ${escapeText(notice)}`).join('\n'))
  const alone = tree.chains.length - drawn.length
  if (alone > 0)
    blocks.push(`${alone} ${alone === 1 ? 'session stands' : 'sessions stand'} alone (--all lists them)`)
  const missing =
    freshness.missing > 0 ? `, ${freshness.missing} known to be missing (coord query unreadable)` : ''
  blocks.push(
    `${freshness.entries} entries in ${freshness.files} files${missing}, as of ${style.time(freshness.indexedAt)}`,
  )
  return `${blocks.join('\n\n')}\n`
}
