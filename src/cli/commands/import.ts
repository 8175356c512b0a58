import { escapeText } from '../../hostile-text/escape-text.ts'
import { refreshed } from '../answer.ts'
import { EXIT } from '../exit.ts'
import { safeJson } from '../output/safe-json.ts'
import { type CommonOptions, placeFrom, withCommonOptions } from '../settings.ts'
import { type CommandOf, commandWith } from './command.ts'

/** `coord import`: copies records from other machines in. */
export const importCommand: CommandOf = (console, finish) =>
  withCommonOptions(
    commandWith(
      'import',
      'copy records of other machines into this one; nothing that is here is changed',
      'coord import /mnt/laptop/record\ncoord import laptop.tar.gz --dry-run',
    ),
  )
    .argument('<from...>', "a record folder, one session's folder, or a tar of either")
    .option('--dry-run', 'say what would be done, and do nothing')
    .action(async (from: string[], options: CommonOptions & { dryRun?: boolean }) => {
      const { importRecords } = await import('../../importer/import-record.ts')
      const place = placeFrom(options)
      const imported = await importRecords(place.recordDir, from, {
        dryRun: options.dryRun ?? false,
        progress: files => console.progress(`importing: ${files.toLocaleString('en')} files`),
      })
      if (!options.dryRun) await refreshed(place, {}, console)
      for (const { path, reason } of imported.skipped ?? [])
        console.tell(`coord: not copied: ${escapeText(path)} (${escapeText(reason)})`)
      if (options.json) await console.print(`${safeJson(imported)}\n`)
      else await console.print(describe(imported, place.recordDir, options.dryRun ?? false))
      finish(imported.skipped ? EXIT.partial : EXIT.done)
    })

function describe(
  { added, same, conflicts }: { added: number; same: number; conflicts: { kept: string; other: string }[] },
  recordDir: string,
  dryRun: boolean,
): string {
  const lines = [
    `${added} files ${dryRun ? 'would be added' : 'added'}, ${same} here already, ${conflicts.length} conflicts, in ${escapeText(recordDir)}`,
  ]
  for (const { kept, other } of conflicts)
    lines.push(`conflict: ${escapeText(kept)} is kept, the other bytes are in ${escapeText(other)}`)
  if (conflicts.length > 0) lines.push('both are kept until you settle it: docs/record.md says how')
  return `${lines.join('\n')}\n`
}
