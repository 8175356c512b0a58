import type { Chain, Gate, Step } from '../spec/chain-schema.ts'
import type { Mistake } from '../spec/mistake.ts'
import type { Path, YamlSource } from '../spec/yaml-source.ts'
import { didYouMean, fieldMistake, type Said } from './answer-fields.ts'
import { parseCondition, referencesOf } from './condition.ts'
import { GRAMMAR, type Located, type Reference, referencesIn } from './parse-template.ts'

/** Checks every template of a chain before anything runs: unknown names, steps that come later, fields that cannot be. */
export function templateMistakes(chain: Chain, source: YamlSource): Mistake[] {
  const say = (path: Path, message: string, hint?: string): Mistake => ({
    message,
    ...source.placeOf(path),
    ...(hint === undefined ? {} : { hint }),
  })
  const inputs = (chain.inputs ?? []).map(input => input.name)
  const ids = chain.steps.map(step => step.id)
  const check = (found: Located, known: number): Mistake[] => {
    if ('mistake' in found) return [say(found.path, found.mistake, GRAMMAR)]
    const said = referenceMistake(found.reference, known)
    return said === null ? [] : [say(found.path, ...said)]
  }
  /** `known` is how many steps, from the first, may be named. */
  const referenceMistake = (reference: Reference, known: number): Said | null => {
    if (reference.of === 'input') {
      const { name } = reference
      if (inputs.includes(name)) return null
      const all = `inputs: ${inputs.join(', ') || 'none'}`
      return [`unknown input "${name}" in a template`, didYouMean(name, inputs, all)]
    }
    const { id, what } = reference
    const index = ids.indexOf(id)
    if (index < 0)
      return [`unknown step "${id}" in a template`, didYouMean(id, ids, `steps: ${ids.join(', ')}`)]
    if (index >= known) {
      return [
        `step "${id}" has no ${what} yet where this template is filled`,
        'a template names steps that are declared before',
      ]
    }
    return fieldMistake(chain.steps[index] as Step, reference)
  }
  return [
    ...chain.steps.flatMap(conditionMistakes),
    ...referencesIn(chain).flatMap(found => {
      if (isFilled(chain, found.path)) return check(found, knownAt(found.path))
      // Conditions have a grammar of their own, and scripts a rule of their own (chain-rules.ts).
      if (found.path[2] === 'run_if' || found.path.at(-1) === 'script') return []
      // Else a template would stand there as it is, without anybody noticing.
      return 'reference' in found ? [say(found.path, 'a template is not filled here', FILLED)] : []
    }),
  ]

  /** How many steps, from the first, a template at this place may name. */
  function knownAt(path: Path): number {
    if (path[0] !== 'steps') return ids.length
    // A gate may name its own step: it is evaluated after the answer.
    return Number(path[1]) + (path[2] === 'gates' ? 1 : 0)
  }

  function conditionMistakes(step: Step, index: number): Mistake[] {
    if (typeof step.run_if !== 'string') return []
    const path = ['steps', index, 'run_if']
    const parsed = parseCondition(step.run_if)
    if ('mistake' in parsed) {
      const hint = 'templates, texts in quotes, numbers, true, false, null, with == != not and or'
      return [say(path, `${parsed.mistake} (character ${parsed.at + 1})`, hint)]
    }
    return referencesOf(parsed.condition).flatMap(reference => check({ path, reference }, index))
  }
}

const FILLED =
  'templates stand in instruction, input, run_if, isolation.base, outputs and the values of gates'

/** The fields of each gate in which templates are filled. */
const FILLED_IN_GATE: Record<Gate['type'], readonly string[]> = {
  file_exists: ['path'],
  file_contains: ['path', 'text'],
  bash_exit_code: ['argv', 'args', 'env'],
  http_status: ['url'],
  json_schema: ['schema_file', 'value', 'path'],
  skill: ['input'],
  ai_cross_check: ['instruction', 'input'],
  mcp_call: ['arguments', 'contains'],
}

function isFilled(chain: Chain, [part, index, field, number, inner]: Path): boolean {
  if (part === 'outputs') return true
  if (part !== 'steps') return false
  if (field === 'instruction' || field === 'input') return true
  if (field === 'isolation') return number === 'base'
  if (field !== 'gates') return false
  const gate = chain.steps[Number(index)]?.gates?.[Number(number)]
  return gate !== undefined && FILLED_IN_GATE[gate.type].includes(String(inner))
}
