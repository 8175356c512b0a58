import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Problem } from '../../problem/problem.ts'
import { safeJson } from '../output/safe-json.ts'
import { type CommandOf, commandWith } from './command.ts'

/** `coord plugin`: where the plugin for Claude Code lies, and how to install it. */
export const pluginCommand: CommandOf = (console, finish) =>
  commandWith('plugin', 'say where the plugin for Claude Code lies, and how to install it', 'coord plugin')
    .option('--json', 'print one JSON document')
    .action(async (options: { json?: boolean }) => {
      // dist/ lies in the package, and so do the marketplace and its plugins.
      const marketplace = resolve(import.meta.dirname, '..')
      const plugin = join(marketplace, 'plugins', 'coordination')
      if (!existsSync(join(plugin, 'hooks', 'register.js'))) {
        throw new Problem('environment', `the plugin is not built: ${plugin}`, {
          path: plugin,
          hint: 'npm run build',
        })
      }
      const install = [
        `claude plugin marketplace add ${quoted(marketplace)}`,
        'claude plugin install coordination@cc-agents',
      ]
      const { installedHost, isTooOld, LEAST_HOST, tooOldWords } = await import(
        '../../doctor/host-version.ts'
      )
      const host = installedHost()
      const answer = {
        ...{ marketplace, plugin, install, once: `claude --plugin-dir ${quoted(plugin)}` },
        needs: { claudeCode: LEAST_HOST, found: host },
      }
      if (options.json) await console.print(`${safeJson(answer)}\n`)
      else
        await console.print(
          `plugin   ${plugin}\ninstall  ${install.join('\n         ')}\nor once  ${answer.once}\nneeds    Claude Code ${LEAST_HOST} or later\n`,
        )
      if (host !== null && isTooOld(host)) {
        const { detail, hint } = tooOldWords(host)
        console.tell(`coord: ${detail}; ${hint}`)
      }
      finish(0)
    })

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
