import * as z from 'zod'
import { chainSchema } from './chain-schema.ts'

/** The format as a JSON Schema (2020-12), as `chains/chain.schema.json` publishes it for editors. */
export function publishedSchema(): string {
  const schema = z.toJSONSchema(chainSchema, { target: 'draft-2020-12', io: 'input' })
  return `${JSON.stringify({ title: 'YAML chain', ...schema }, null, 2)}\n`
}
