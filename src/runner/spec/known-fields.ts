import {
  auditSchema,
  budgetSchema,
  chainSchema,
  gateSchemas,
  inputSchema,
  isolationSchema,
  outputSchemas,
  stepSchema,
  verificationSchema,
} from './chain-schema.ts'
import type { Path } from './yaml-source.ts'

/** The fields that may stand at a place of a chain; none where the place has no fields of its own. */
export function knownFields(path: Path, data: unknown): string[] {
  const [first, index, second] = path
  if (path.length === 0) return Object.keys(chainSchema.shape)
  if (first === 'inputs') return Object.keys(inputSchema.shape)
  if (first === 'audit') return Object.keys(auditSchema.shape)
  if (first === 'budget') return Object.keys(budgetSchema.shape)
  if (first !== 'steps' || index === undefined) return []
  if (path.length === 2) return Object.keys(stepSchema.shape)
  if (second === 'isolation') return Object.keys(isolationSchema.shape)
  if (second === 'verification') return Object.keys(verificationSchema.shape)
  const type = (data as { type?: string } | undefined)?.type ?? ''
  if (second === 'output_schema') return fieldsOf(outputSchemas, type)
  if (second === 'gates') return fieldsOf(gateSchemas, type)
  return []
}

function fieldsOf(schemas: Record<string, { shape: object }>, type: string): string[] {
  return Object.keys((Object.hasOwn(schemas, type) ? schemas[type] : undefined)?.shape ?? { type: null })
}
