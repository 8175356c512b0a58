import { escapeText } from '../../hostile-text/escape-text.ts'
import { chainPlacesFrom, type ProjectOption } from '../chain-place.ts'
import { EXIT } from '../exit.ts'
import { safeJson } from '../output/safe-json.ts'
import { type CommandOf, commandWith } from './command.ts'

/** `coord chain validate`: whether a chain is right, and each mistake with its place. */
export const chainValidate: CommandOf = (console, finish) =>
  commandWith(
    'validate',
    'check a chain; every mistake is told with file, line and column',
    'coord chain validate validate-decision\ncoord chain validate ./chains/*.yaml',
  )
    .argument('<chain...>', 'names or files')
    .option('--project <dir>', 'the project (else the one of the current folder)')
    .option('--json', 'print one JSON document')
    .action(async (words: string[], options: ProjectOption & { json?: boolean }) => {
      const { findChain } = await import('../../runner/spec/find-chain.ts')
      const { checkChain, readChainText } = await import('../../runner/spec/read-chain.ts')
      const { mistakeLine } = await import('../../runner/spec/mistake.ts')
      const places = chainPlacesFrom(options)
      const chains = words.map(word => {
        const { name, path } = findChain(word, places)
        const checked = checkChain(readChainText(path))
        return 'mistakes' in checked
          ? { name, path, valid: false, mistakes: checked.mistakes }
          : { name: checked.chain.name, path, valid: true, mistakes: [] }
      })
      const valid = chains.every(chain => chain.valid)
      if (options.json) await console.print(`${safeJson({ ok: valid, chains })}\n`)
      else {
        const lines = chains.flatMap(({ path, mistakes }) =>
          mistakes.length === 0
            ? [`${escapeText(path)}: valid`]
            : mistakes.map(mistake => mistakeLine(path, mistake)),
        )
        await console.print(`${lines.join('\n')}\n`)
      }
      finish(valid ? EXIT.done : EXIT.refused)
    })
