import { chainPlacesFrom, type ProjectOption } from '../chain-place.ts'
import { safeJson } from '../output/safe-json.ts'
import { layOutTable } from '../output/table.ts'
import { type CommandOf, commandWith } from './command.ts'

const COLUMNS = ['name', 'version', 'scope', 'state', 'description'].map(name => ({
  ...{ name, type: 'text' as const },
}))

/** `coord chain list`: the chains of the project, the user and the drafts. */
export const chainList: CommandOf = (console, finish) =>
  commandWith('list', 'the chains that a name here means', 'coord chain list')
    .option('--project <dir>', 'the project (else the one of the current folder)')
    .option('--json', 'print one JSON document')
    .action(async (options: ProjectOption & { json?: boolean }) => {
      const { listChains } = await import('../../runner/spec/find-chain.ts')
      const { checkFile } = await import('../../runner/spec/read-chain.ts')
      const places = chainPlacesFrom(options)
      const chains = listChains(places).map(found => {
        const checked = checkFile(found.path)
        if ('mistakes' in checked)
          return {
            ...found,
            version: null,
            description: null,
            valid: false,
            mistakes: checked.mistakes.length,
          }
        const { version, description } = checked.chain
        return { ...found, version, description, valid: true, mistakes: 0 }
      })
      if (options.json) {
        await console.print(`${safeJson({ places, chains })}\n`)
        return finish(0)
      }
      const rows = chains.map(({ mistakes, ...chain }) => ({
        ...chain,
        state: mistakes === 0 ? 'valid' : `${mistakes} ${mistakes === 1 ? 'mistake' : 'mistakes'}`,
      }))
      if (rows.length === 0) {
        console.tell(`no chains in ${places.map(({ folder }) => folder).join(', ')}`)
        return finish(0)
      }
      const table = layOutTable(COLUMNS, rows, { width: console.width, colour: console.isColour })
      await console.print(`${[table.header(), ...rows.map(row => table.line(row))].join('\n')}\n`)
      finish(0)
    })
