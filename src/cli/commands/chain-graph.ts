import { Option } from 'commander'
import { escapeText } from '../../hostile-text/escape-text.ts'
import { chainPlacesFrom, type ProjectOption } from '../chain-place.ts'
import { safeJson } from '../output/safe-json.ts'
import { type CommandOf, commandWith } from './command.ts'

/** `coord chain graph`: what of a chain waits for what. */
export const chainGraph: CommandOf = (console, finish) =>
  commandWith(
    'graph',
    'show what of a chain waits for what',
    'coord chain graph validate-decision --format mermaid',
  )
    .argument('<chain>', 'its name or file')
    .addOption(
      new Option('--format <format>', 'how it is shown').choices(['text', 'mermaid']).default('text'),
    )
    .option('--project <dir>', 'the project (else the one of the current folder)')
    .option('--json', 'print one JSON document')
    .action(async (word: string, options: ProjectOption & { format: string; json?: boolean }) => {
      const { findChain } = await import('../../runner/spec/find-chain.ts')
      const { readChain } = await import('../../runner/spec/read-chain.ts')
      const { graphLines, graphOf, mermaidOf } = await import('../../runner/graph/chain-graph.ts')
      const { chain } = readChain(findChain(word, chainPlacesFrom(options)).path)
      const graph = graphOf(chain)
      if (options.json)
        await console.print(`${safeJson({ chain: chain.name, ...graph, mermaid: mermaidOf(graph) })}\n`)
      else if (options.format === 'mermaid') await console.print(mermaidOf(graph))
      else await console.print(`${graphLines(graph).map(escapeText).join('\n')}\n`)
      finish(0)
    })
