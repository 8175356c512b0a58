import { chainGraph } from './chain-graph.ts'
import { chainList } from './chain-list.ts'
import { chainResume } from './chain-resume.ts'
import { chainRun } from './chain-run.ts'
import { chainValidate } from './chain-validate.ts'
import { chainVerify } from './chain-verify.ts'
import { type CommandOf, commandWith } from './command.ts'

const EXAMPLES = `coord chain list
coord chain run validate-decision --input decision=./decision.md --author decision=person
coord chain resume validate-decision_20261101T100000Z_k3x9ab`

/** `coord chain …`: YAML chains, checked, run, resumed and proved. */
export const chainCommand: CommandOf = (console, finish) => {
  const command = commandWith(
    'chain',
    'YAML chains: repeatable runs of skills with gates and an audit log',
    EXAMPLES,
  )
  const all = [chainList, chainValidate, chainGraph, chainRun, chainResume, chainVerify]
  for (const below of all) command.addCommand(below(console, finish))
  return command
}
