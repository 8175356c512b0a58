import { nearest } from '../../problem/nearest.ts'
import type { Chain, Gate, Step } from '../spec/chain-schema.ts'
import type { Mistake } from '../spec/mistake.ts'
import type { Path, YamlSource } from '../spec/yaml-source.ts'
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
    return referenceMistakes(found.reference, known).map(([message, hint]) => say(found.path, message, hint))
  }
  /** `known` is how many steps, from the first, may be named. */
  const referenceMistakes = (reference: Reference, known: number): [string, string | undefined][] => {
    if (reference.of === 'input') {
      if (inputs.includes(reference.name)) return []
      const near = nearest(reference.name, inputs)
      const fits = near === null ? `inputs: ${inputs.join(', ') || 'none'}` : `did you mean "${near}"?`
      return [[`unknown input "${reference.name}" in a template`, fits]]
    }
    const index = ids.indexOf(reference.id)
    if (index < 0) {
      const near = nearest(reference.id, ids)
      return [
        [
          `unknown step "${reference.id}" in a template`,
          near === null ? `steps: ${ids.join(', ')}` : `did you mean "${near}"?`,
        ],
      ]
    }
    if (index >= known) {
      return [
        [
          `step "${reference.id}" has no ${reference.what} yet where this template is filled`,
          'a template names steps that are declared before',
        ],
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
    return referencesOf(parsed.condition).flatMap(reference =>
      referenceMistakes(reference, index).map(([message, hint]) => say(path, message, hint)),
    )
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

/** A field of an answer that by its declared form cannot have it. */
function fieldMistake(step: Step, reference: Reference): [string, string | undefined][] {
  const [field, ...more] = reference.fields
  if (field === undefined) return []
  const form = step.output_schema ?? { type: 'text' as const }
  if (form.type === 'text') {
    return [
      [`the answer of step "${step.id}" is text and has no field "${field}"`, 'declare its output_schema'],
    ]
  }
  if (form.type === 'structured-text') {
    const groups = groupsOf(form.output_anchor)
    if (more.length === 0 && groups.includes(field)) return []
    return [
      [
        `the output_anchor of step "${step.id}" has no group named "${field}"`,
        groups.length === 0 ? 'name a group: (?<verdict>…)' : `groups: ${groups.join(', ')}`,
      ],
    ]
  }
  if (form.type === 'jsonl') {
    if (/^\d+$/.test(field)) return []
    return [[`the answer of step "${step.id}" is a list; "${field}" is no number`, 'the first line is .0']]
  }
  const properties = typeof form.schema === 'object' ? form.schema.properties : undefined
  const closed = typeof form.schema === 'object' && form.schema.additionalProperties === false
  if (!closed || typeof properties !== 'object' || properties === null) return []
  const names = Object.keys(properties)
  if (names.includes(field)) return []
  const near = nearest(field, names)
  return [
    [
      `the schema of step "${step.id}" has no field "${field}"`,
      near === null ? `fields: ${names.join(', ')}` : `did you mean "${near}"?`,
    ],
  ]
}

/** The named groups of a regular expression. */
export function groupsOf(pattern: string): string[] {
  return [...pattern.matchAll(/\(\?<([A-Za-z_]\w*)>/g)].map(([, name = '']) => name)
}
