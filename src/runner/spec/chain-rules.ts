import { typeMistake } from '../inputs/input-type.ts'
import { didYouMean, groupsOf } from '../template/answer-fields.ts'
import type { Chain, Step } from './chain-schema.ts'
import { gateMistakes, regexMistakes, type Say, schemaMistakes } from './gate-rules.ts'
import type { Mistake } from './mistake.ts'
import { referenceMistake } from './skill-reference.ts'
import type { Path, YamlSource } from './yaml-source.ts'

/** What a schema cannot say: which fields go together, which names must be there, what must compile. */
export function ruleMistakes(chain: Chain, source: YamlSource): Mistake[] {
  const say: Say = (path, message, hint) => ({
    message,
    ...source.placeOf(path),
    ...(hint === undefined ? {} : { hint }),
  })
  const ids = chain.steps.map(step => step.id)
  return [
    ...(chain.primary === 'skill' ? [say(['primary'], '"skill" is no agent')] : []),
    ...twice((chain.inputs ?? []).map(input => input.name)).map(index =>
      say(['inputs', index, 'name'], 'an input of this name stands before'),
    ),
    ...(chain.inputs ?? []).flatMap((input, index) => {
      if (input.default === undefined) return []
      const wrong = typeMistake(input.type, input.default)
      return wrong === null ? [] : [say(['inputs', index, 'default'], `the default ${wrong}`)]
    }),
    ...twice(ids).map(index => say(['steps', index, 'id'], 'a step of this id stands before')),
    ...chain.steps.flatMap((step, index) => stepMistakes(chain, step, index, say)),
    ...needlessChain(chain, say),
  ]
}

function twice(names: string[]): number[] {
  return names.flatMap((name, index) => (names.indexOf(name) < index ? [index] : []))
}

function stepMistakes(chain: Chain, step: Step, index: number, say: Say): Mistake[] {
  const at = ['steps', index]
  const before = chain.steps.slice(0, index).map(one => one.id)
  return [
    ...runnerMistakes(chain, step, at, say),
    ...(step.needs ?? []).flatMap((id, number) =>
      before.includes(id) ? [] : [unknownStep(id, before, [...at, 'needs', number], say)],
    ),
    ...crossCheckMistakes(chain, step, at, before, say),
    ...formMistakes(step, at, say),
    ...verificationMistakes(step, at, say),
    ...(step.gates ?? []).flatMap((gate, number) => gateMistakes(gate, [...at, 'gates', number], say)),
  ]
}

function unknownStep(id: string, before: string[], path: Path, say: Say): Mistake {
  const fits = didYouMean(id, before, `before it stand: ${before.join(', ') || 'none'}`)
  return say(path, `no step "${id}" stands before this one`, fits)
}

function runnerMistakes(chain: Chain, step: Step, at: Path, say: Say): Mistake[] {
  const { primary } = chain
  const isCheck = step.kind === 'cross_check'
  if (step.runner === 'skill') {
    if (step.skill === undefined)
      return [say(at, 'a step with runner "skill" names it', 'skill: <package>:<skill>@<version>')]
    const wrong = referenceMistake(step.skill)
    return wrong === null ? [] : [say([...at, 'skill'], wrong)]
  }
  if (step.skill !== undefined) return [say([...at, 'skill'], 'a step with "skill" has runner "skill"')]
  if (isCheck && step.runner !== undefined) {
    return [
      say(
        [...at, 'runner'],
        'a cross_check has no runner of its own: the rule of independence chooses one',
        'leave runner out, or write runner: skill',
      ),
    ]
  }
  const found: Mistake[] = []
  if (step.instruction === undefined) found.push(say(at, 'a step without a skill has an instruction'))
  if (!isCheck && step.runner === undefined)
    found.push(say(at, '"runner" is missing', `runner: skill, or runner: ${primary}`))
  else if (!isCheck && step.runner !== primary) {
    const hint = `runner: skill, or runner: ${primary}, which is the chain's primary`
    found.push(say([...at, 'runner'], `"${step.runner}" is neither "skill" nor the primary`, hint))
  }
  return found
}

function crossCheckMistakes(chain: Chain, step: Step, at: Path, before: string[], say: Say): Mistake[] {
  if (step.kind !== 'cross_check') {
    return step.of === undefined ? [] : [say([...at, 'of'], '"of" stands only on a cross_check')]
  }
  const found: Mistake[] = []
  if (step.verification)
    found.push(say([...at, 'verification'], 'a cross_check is a verification and has none itself'))
  found.push(...verdictMistakes(step, at, say))
  if (step.of === undefined) {
    const hint = 'of: [steps.draft] or of: [inputs.report]'
    return [...found, say(at, 'a cross_check says what it checks: "of" is missing', hint)]
  }
  const inputs = (chain.inputs ?? []).map(input => `inputs.${input.name}`)
  const known = [...inputs, ...before.map(id => `steps.${id}`)]
  step.of.forEach((what, number) => {
    if (known.includes(what)) return
    const fits = didYouMean(what, known, `what can be checked: ${known.join(', ')}`)
    found.push(say([...at, 'of', number], `"${what}" is no input and no step before this one`, fits))
  })
  return found
}

/** Without a verdict a cross-check would not say whether it agrees. */
function verdictMistakes(step: Step, at: Path, say: Say): Mistake[] {
  const form = step.output_schema
  const path = [...at, 'output_schema']
  if (form?.type === 'jsonl')
    return [say(path, 'a cross_check gives one verdict, which lines of JSON cannot')]
  if (form?.type !== 'json') return []
  const required = typeof form.schema === 'object' ? form.schema.required : undefined
  if (Array.isArray(required) && required.includes('verdict')) return []
  const hint = 'required: [verdict], with properties: { verdict: { enum: [agree, diverge] } }'
  return [say([...path, 'schema'], 'the JSON of a cross_check has to have a "verdict"', hint)]
}

function formMistakes(step: Step, at: Path, say: Say): Mistake[] {
  const form = step.output_schema
  const path = [...at, 'output_schema']
  if (form?.type === 'structured-text')
    return regexMistakes(form.output_anchor, [...path, 'output_anchor'], say)
  if ((form?.type === 'json' || form?.type === 'jsonl') && form.schema !== undefined)
    return schemaMistakes(form.schema, [...path, 'schema'], say)
  return []
}

function verificationMistakes(step: Step, at: Path, say: Say): Mistake[] {
  const { fields } = step.verification ?? {}
  const form = step.output_schema ?? { type: 'text' as const }
  const path = [...at, 'verification', 'fields']
  if (fields === undefined || form.type === 'json') return []
  if (form.type !== 'structured-text')
    return [say(path, `an answer of type ${form.type} has no fields to compare`)]
  const groups = groupsOf(form.output_anchor)
  const unknown = fields.find(field => !groups.includes(field))
  if (unknown === undefined) return []
  return [
    say(path, `the output_anchor has no group named "${unknown}"`, `groups: ${groups.join(', ') || 'none'}`),
  ]
}

/** A chain that does what one skill alone would: refused, since its overhead buys nothing (spec, anti-patterns). */
function needlessChain(chain: Chain, say: Say): Mistake[] {
  const [step, second] = chain.steps
  if (!step || second || chain.budget || chain.audit) return []
  const has = [
    step.output_schema,
    step.gates?.length,
    step.verification,
    step.isolation,
    step.run_if,
    step.kind,
  ]
  if (has.some(Boolean)) return []
  const hint = 'invoke the skill itself, or give the step an output_schema or a gate'
  return [say(['steps', 0], 'one step without schema, gate or verification needs no chain', hint)]
}
