import { resolve } from 'node:path'
import { escapeText } from '../../hostile-text/escape-text.ts'
import { safeJson } from '../output/safe-json.ts'
import { type CommandOf, commandWith } from './command.ts'

/** `coord sample DIR`: writes the built-in sample record. */
export const sampleCommand: CommandOf = (console, finish) =>
  commandWith(
    'sample',
    'write the built-in sample record into an empty folder',
    'coord sample ./sample && coord tree --record-dir ./sample',
  )
    .argument('<dir>', 'an empty folder, or one to make')
    .option('--json', 'print one JSON document')
    .action(async (dir: string, options: { json?: boolean }) => {
      const { writeSampleRecord } = await import('../../sample/sample-record.ts')
      const recordDir = resolve(dir)
      const entries = await writeSampleRecord(recordDir)
      const shown = escapeText(recordDir)
      const words = `${entries} entries written to ${shown}\nlook at them: coord tree --record-dir ${shown}\n`
      await console.print(options.json ? `${safeJson({ recordDir, entries })}\n` : words)
      finish(0)
    })
