import { nearest } from '../../problem/nearest.ts'
import type { JsonSchema, Step } from '../spec/chain-schema.ts'
import type { Reference } from './parse-template.ts'

/** What is wrong, and what would be right. */
export type Said = [message: string, hint: string]

/** Why an answer of a step cannot have the field that a reference names, by its declared form; null where it may. */
export function fieldMistake(step: Step, { fields: [field, ...more] }: Reference): Said | null {
  if (field === undefined) return null
  const form = step.output_schema ?? { type: 'text' as const }
  switch (form.type) {
    case 'text':
      return [
        `the answer of step "${step.id}" is text and has no field "${field}"`,
        'declare its output_schema',
      ]
    case 'structured-text': {
      const groups = groupsOf(form.output_anchor)
      if (more.length === 0 && groups.includes(field)) return null
      return [
        `the output_anchor of step "${step.id}" has no group named "${field}"`,
        groups.length === 0 ? 'name a group: (?<verdict>…)' : `groups: ${groups.join(', ')}`,
      ]
    }
    case 'jsonl':
      return /^\d+$/.test(field)
        ? null
        : [`the answer of step "${step.id}" is a list; "${field}" is no number`, 'the first line is .0']
    case 'json': {
      const names = closedFields(form.schema)
      if (names === null || names.includes(field)) return null
      return [
        `the schema of step "${step.id}" has no field "${field}"`,
        didYouMean(field, names, `fields: ${names.join(', ')}`),
      ]
    }
  }
}

/** The fields that an object of a JSON Schema may have; null where it may have others. */
function closedFields(schema: JsonSchema): string[] | null {
  if (typeof schema !== 'object' || schema.additionalProperties !== false) return null
  const { properties } = schema
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : null
}

/** The nearest name to one that is not there, else what there is. */
export function didYouMean(name: string, known: readonly string[], all: string): string {
  const near = nearest(name, known)
  return near === null ? all : `did you mean "${near}"?`
}

/** The named groups of a regular expression. */
export function groupsOf(pattern: string): string[] {
  return [...pattern.matchAll(/\(\?<([A-Za-z_]\w*)>/g)].map(([, name = '']) => name)
}
