import { EXIT } from '../exit.ts'
import { safeJson } from '../output/safe-json.ts'
import { type CommandOf, commandWith } from './command.ts'
import { resultPath } from './result-path.ts'

/** `coord scan prompt OUT`: the prompt for a session that reads the result. */
export const promptCommand: CommandOf = (console, finish) =>
  commandWith(
    'prompt',
    'write the prompt for a session that traces the directions of a result',
    'coord scan prompt ./scan-2026-11 > prompt.md',
  )
    .argument('<out>', 'the folder of the result')
    .option('--json', 'print one JSON document')
    .action(async (out: string, options: { json?: boolean }) => {
      const { writePrompt } = await import('../../scan/result/prompt.ts')
      const path = resultPath(out)
      const prompt = writePrompt(path)
      await console.print(options.json ? `${safeJson({ out: path, prompt })}\n` : prompt)
      finish(EXIT.done)
    })
