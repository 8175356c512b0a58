import { referencesOfStep } from '../plan/dependencies.ts'
import type { Step } from '../spec/chain-schema.ts'
import type { Reference } from '../template/parse-template.ts'
import { type LookUp, render } from '../template/render.ts'

/** A step's input; a cross-check is also given what it checks, unless its own templates already hold it. */
export function inputOf(step: Step, lookUp: LookUp): unknown {
  const own = step.input === undefined ? undefined : (render(step.input, lookUp) as object)
  const named = referencesOfStep(step).map(one =>
    one.of === 'step' ? `steps.${one.id}` : `inputs.${one.name}`,
  )
  const missing = (step.of ?? []).filter(what => !named.includes(what))
  if (missing.length === 0) return own
  const artifacts = missing.map(what => {
    const [of, name = ''] = what.split('.')
    const reference: Reference =
      of === 'steps'
        ? { of: 'step', id: name, what: 'output', fields: [] }
        : { of: 'input', name, fields: [] }
    return [what, lookUp(reference)]
  })
  return { ...own, artifacts: Object.fromEntries(artifacts) }
}
