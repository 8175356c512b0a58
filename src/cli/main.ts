import { Command, CommanderError } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { Problem } from '../problem/problem.ts'
import { attributeCommand } from './commands/attribute.ts'
import { chainCommand } from './commands/chain.ts'
import { doctorCommand } from './commands/doctor.ts'
import { importCommand } from './commands/import.ts'
import { indexCommand } from './commands/index-record.ts'
import { pluginCommand } from './commands/plugin.ts'
import { queryCommand } from './commands/query.ts'
import { sampleCommand } from './commands/sample.ts'
import { scanCommand } from './commands/scan.ts'
import { treeCommand } from './commands/tree.ts'
import { verifyCommand } from './commands/verify.ts'
import { watchCommand } from './commands/watch.ts'
import { type Console, processConsole } from './console.ts'
import { asProblem, EXIT, exitCodeOf } from './exit.ts'
import { problemJson, problemText } from './problem-text.ts'

const console = processConsole()

/** Runs the command line; returns the exit code. */
async function main(argv: string[]): Promise<number> {
  let code: number = EXIT.done
  const finish = (exit: number) => {
    code = exit
  }
  const program = new Command('coord')
    .description(
      'Who said what to whom between coding-agent sessions: reads the record, answers from an index.',
    )
    .version(packageJson.version)
    // What stands behind a command's name is its own: commander would else hand it to the one above.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .addHelpText('after', EXIT_CODES)
  const commands = [
    ...[treeCommand, queryCommand, attributeCommand, indexCommand, watchCommand],
    ...[scanCommand, importCommand, verifyCommand, doctorCommand, pluginCommand, sampleCommand],
    ...[chainCommand],
  ]
  for (const command of commands) program.addCommand(quiet(command(console, finish)))
  try {
    await program.parseAsync(argv)
    return code
  } catch (error) {
    return tellProblem(commanderProblem(error), argv, console)
  }
}

/** A command, and those below it, whose errors are thrown and told in one place. */
function quiet(command: Command): Command {
  for (const below of command.commands) quiet(below)
  return command.exitOverride().configureOutput({ writeErr: () => {} })
}

const EXIT_CODES = `
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 the environment (SQLite, folder rights),
4 a check refused the result, 8 answered, but some files could not be read, or a run succeeded in part.`

/** A wrong command line as a problem; null where it was a request for help or the version. */
function commanderProblem(error: unknown): Problem | null {
  if (!(error instanceof CommanderError)) return asProblem(error)
  if (error.exitCode === 0) return null
  if (error.code === 'commander.help')
    return new Problem('usage', 'no command given', {
      hint: 'coord --help lists the commands, coord chain --help those of chains',
    })
  if (error.code === 'commander.excessArguments') {
    return new Problem('usage', 'too many words', {
      hint: 'a whole filter stands in double quotes: coord query messages "side = \'sent\'"; a session in --session ID',
    })
  }
  const [what = '', suggestion] = error.message.replace(/^error: /, '').split('\n')
  return new Problem('usage', what, {
    hint: suggestion?.replace(/^\(|\)$/g, '') ?? 'coord --help, coord COMMAND --help',
  })
}

function tellProblem(problem: Problem | null, argv: string[], console: Console): number {
  if (problem === null) return EXIT.done
  console.tell(argv.includes('--json') ? problemJson(problem) : problemText(problem))
  if (process.env.COORD_DEBUG)
    console.tell(String((problem.cause as Error | undefined)?.stack ?? problem.stack))
  return exitCodeOf(problem)
}

process.exitCode = await main(process.argv)
