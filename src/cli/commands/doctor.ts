import type { Check } from '../../doctor/examine.ts'
import { EXIT } from '../exit.ts'
import { safeJson } from '../output/safe-json.ts'
import { type CommonOptions, claudeFolder, placeFrom, withCommonOptions } from '../settings.ts'
import { type CommandOf, commandWith } from './command.ts'

/** `coord doctor`: what is wrong with this installation, and how to mend it. */
export const doctorCommand: CommandOf = (console, finish) =>
  withCommonOptions(
    commandWith('doctor', 'say what is wrong with this installation and how to mend it', 'coord doctor'),
  ).action(async (options: CommonOptions) => {
    const { examine } = await import('../../doctor/examine.ts')
    const { escapeText } = await import('../../hostile-text/escape-text.ts')
    const { examineHost } = await import('../../doctor/examine-host.ts')
    const { examineMissing } = await import('../../doctor/examine-missing.ts')
    const place = placeFrom(options)
    const checks = [
      ...examine(place),
      examineMissing(place.indexPath),
      ...examineHost({ configDir: claudeFolder(process.env), cwd: process.cwd() }),
    ]
    const ok = checks.every(({ status }) => status !== 'failed')
    await console.print(
      options.json ? `${safeJson({ ok, checks })}\n` : checks.map(one => describe(one, escapeText)).join(''),
    )
    finish(ok ? EXIT.done : EXIT.environment)
  })

function describe({ name, status, detail, hint }: Check, show: (text: string) => string): string {
  const line = `${status.padEnd(7)}  ${name}: ${show(detail)}\n`
  return hint === null ? line : `${line}         mend it: ${show(hint)}\n`
}
