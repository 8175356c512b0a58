import { Command } from 'commander'
import type { Console } from '../console.ts'

/** One command of the program: its words and options; `finish` takes the exit code it ends with. */
export type CommandOf = (console: Console, finish: (exitCode: number) => void) => Command

/** A command with its description and an example, which `--help` shows. */
export function commandWith(name: string, description: string, example: string): Command {
  const label = example.includes('\n') ? 'Examples' : 'Example'
  return new Command(name).description(description).addHelpText('after', `\n${label}:\n${indent(example)}`)
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ')
}
