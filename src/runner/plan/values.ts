import type { Output } from '../log/event.ts'
import type { Reference } from '../template/parse-template.ts'
import { type LookUp, NoValue } from '../template/render.ts'
import type { RunState } from './run-state.ts'

/**
 * What references stand for at this point of a run.
 *
 * @param own the answer of the step whose gates are being evaluated
 */
export function valuesIn(
  inputs: Record<string, unknown>,
  state: RunState,
  own?: { id: string; output: Output },
): LookUp {
  return reference => {
    if (reference.of === 'input') return fieldOf(inputs[reference.name], reference, `input ${reference.name}`)
    if (reference.id === own?.id) return reference.what === 'success' ? true : outputOf(own.output, reference)
    const result = state.results.get(reference.id)
    if (reference.what === 'success') return result?.status === 'succeeded'
    if (!result?.output) throw new NoValue(`step ${reference.id} has no output`)
    return outputOf(result.output, reference)
  }
}

function outputOf(output: Output, reference: Reference & { of: 'step' }): unknown {
  const [first] = reference.fields
  if (first === undefined) return output.value
  return fieldOf(output.fields ?? output.value, reference, `the output of step ${reference.id}`)
}

function fieldOf(value: unknown, { fields }: Reference, what: string): unknown {
  let at = value
  for (const field of fields) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, field))
      throw new NoValue(`${what} has no ${fields.join('.')}`)
    at = (at as Record<string, unknown>)[field]
  }
  return at
}
