import type { ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { JsonSchema } from '../spec/chain-schema.ts'

export type JsonSchemaCheck = { isValid: (value: unknown) => string | null } | { mistake: string }

/**
 * A JSON Schema (2020-12) made ready to check values: null where a value fits, else what does not fit and where. A
 * schema that is none, or that points outside of itself, is a mistake; nothing is ever fetched.
 */
export function jsonSchemaCheck(schema: JsonSchema): JsonSchemaCheck {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    logger: false,
  })
  formats.default(ajv)
  try {
    const validate = ajv.compile(schema)
    return {
      isValid: value => (validate(value) === true ? null : words(validate.errors ?? [])),
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
