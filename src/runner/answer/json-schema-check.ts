import type { ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { JsonSchema } from '../spec/chain-schema.ts'
import { withinTime } from './within-time.ts'

/** `firstMisfit` gives the first of several values that does not fit, what of it does not and where. */
export type JsonSchemaCheck =
  | { firstMisfit: (values: readonly unknown[]) => { index: number; what: string } | null }
  | { mistake: string }

/**
 * A JSON Schema (2020-12) made ready to check values, within a bounded time. A schema that is none, or that points
 * outside of itself, is a mistake; nothing is ever fetched.
 */
export function jsonSchemaCheck(schema: JsonSchema): JsonSchemaCheck {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    strictTuples: false,
    logger: false,
  })
  formats.default(ajv)
  try {
    if (typeof schema === 'object' && '$async' in schema)
      return { mistake: '"$async" waits for nothing here' }
    const validate = ajv.compile(schema)
    return {
      firstMisfit(values) {
        let index = 0
        const checked = withinTime(() => {
          while (index < values.length && validate(values[index]) === true) index += 1
        })
        if ('problem' in checked) return { index, what: checked.problem }
        return index === values.length ? null : { index, what: words(validate.errors ?? []) }
      },
    }
  } catch (error) {
    return { mistake: (error as Error).message }
  }
}

const SHOWN = 5

function words(errors: readonly ErrorObject[]): string {
  const told = errors.slice(0, SHOWN).map(error => {
    const extra = (error.params as { additionalProperty?: string }).additionalProperty
    return `${error.instancePath || 'the value'} ${error.message}${extra === undefined ? '' : ` (${extra})`}`
  })
  const more = errors.length > SHOWN ? [`and ${errors.length - SHOWN} more`] : []
  return [...told, ...more].join('; ')
}
