import { escapeText } from '../../hostile-text/escape-text.ts'
import { EXIT } from '../exit.ts'
import { safeJson } from '../output/safe-json.ts'
import { runnerFolderFrom } from '../settings.ts'
import { type CommandOf, commandWith } from './command.ts'

/** `coord chain verify`: proves an audit log whole, or names the first line that is not. */
export const chainVerify: CommandOf = (console, finish) =>
  commandWith('verify', 'prove that an audit log is as it was written', 'coord chain verify ./run.jsonl')
    .argument('<log>', 'the path of a log, or a run id')
    .option(
      '--head <hash>',
      'the hash of the last line, as the run told it: proves also that nothing is cut off',
    )
    .option('--json', 'print one JSON document')
    .action(async (word: string, options: { head?: string; json?: boolean }) => {
      const { findLog } = await import('../../runner/log/log-path.ts')
      const { readLog } = await import('../../runner/log/read-log.ts')
      const log = readLog(findLog(word, runnerFolderFrom(process.env)))
      const { path, events, broken, torn, head, isComplete } = log
      const wrongHead = options.head !== undefined && options.head.toLowerCase() !== head
      const first = broken ?? (torn ? { line: events.length + 1, what: 'it was cut off in writing' } : null)
      const what = first ?? (wrongHead ? { line: events.length, what: 'the last line is another one' } : null)
      const empty = events.length === 0 && first === null
      const ok = what === null && !empty
      if (options.json) {
        const answer = { ok, path, lines: events.length, complete: isComplete, head, broken: what }
        await console.print(`${safeJson(answer)}\n`)
      } else {
        await console.print(`${words(escapeText(path), events.length, what, isComplete, head)}\n`)
        if (torn) console.tell('hint: coord chain resume cuts that line off, says so in the log, and goes on')
      }
      finish(ok ? EXIT.done : EXIT.refused)
    })

function words(
  path: string,
  lines: number,
  broken: { line: number; what: string } | null,
  complete: boolean,
  head: string,
): string {
  if (broken) return `${path}:${broken.line}: broken: ${broken.what}`
  if (lines === 0) return `${path}: empty, which proves nothing`
  const end = complete ? 'complete' : 'not complete: the run goes on, or can be resumed'
  return `${path}: whole, ${lines} lines, ${end}\nlast line ${head}`
}
