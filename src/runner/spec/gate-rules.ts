import { jsonSchemaCheck } from '../answer/json-schema-check.ts'
import type { Gate, JsonSchema } from './chain-schema.ts'
import type { Mistake } from './mistake.ts'
import { splicesScript } from './script-argument.ts'
import { referenceMistake } from './skill-reference.ts'
import type { Path } from './yaml-source.ts'

/** Makes a mistake with the place of what stands at a path. */
export type Say = (path: Path, message: string, hint?: string) => Mistake

/** What a gate's schema cannot say: which of its fields go together, what must compile. */
export function gateMistakes(gate: Gate, at: Path, say: Say): Mistake[] {
  if (gate.type === 'file_contains') {
    if ((gate.text === undefined) === (gate.pattern === undefined))
      return [say(at, 'file_contains has either "text" or "pattern"')]
    return gate.pattern === undefined ? [] : regexMistakes(gate.pattern, [...at, 'pattern'], say)
  }
  if (gate.type === 'bash_exit_code') return commandMistakes(gate, at, say)
  if (gate.type === 'json_schema') {
    const found: Mistake[] = []
    if ((gate.schema === undefined) === (gate.schema_file === undefined))
      found.push(say(at, 'json_schema has either "schema" or "schema_file"'))
    if (gate.value !== undefined && gate.path !== undefined)
      found.push(say(at, 'json_schema looks at either "value" or the file at "path"'))
    return [
      ...found,
      ...(gate.schema === undefined ? [] : schemaMistakes(gate.schema, [...at, 'schema'], say)),
    ]
  }
  if (gate.type === 'mcp_call' && gate.schema !== undefined)
    return schemaMistakes(gate.schema, [...at, 'schema'], say)
  if (gate.type === 'skill') {
    const wrong = referenceMistake(gate.skill)
    return wrong === null ? [] : [say([...at, 'skill'], wrong)]
  }
  return []
}

/** A value never reaches a shell by interpolation: it is an argument, or a variable of the script's environment. */
function commandMistakes(gate: Gate & { type: 'bash_exit_code' }, at: Path, say: Say): Mistake[] {
  const found: Mistake[] = []
  if ((gate.argv === undefined) === (gate.script === undefined))
    found.push(say(at, 'bash_exit_code has either "argv" or "script"'))
  if (gate.script?.includes('{{')) {
    const hint = 'name it in env: { NAME: "{{ … }}" } and write "$NAME", or in args: and write "$1"'
    found.push(
      say([...at, 'script'], 'a template in a shell script: no value is ever spliced into one', hint),
    )
  }
  const [program] = gate.argv ?? []
  if (splicesScript(gate.argv ?? [])) {
    const hint =
      'write the script under "script", and name values in its env or args; before the name of a file write --'
    found.push(
      say([...at, 'argv'], 'a template in the script of a shell: no value is ever spliced into one', hint),
    )
  }
  if (program?.includes('{{')) found.push(say([...at, 'argv', 0], 'the program of argv is no template'))
  for (const field of ['shell', 'args'] as const)
    if (gate.argv !== undefined && gate[field] !== undefined)
      found.push(say([...at, field], `"${field}" belongs to "script", not to "argv"`))
  return found
}

/** A pattern that is no regular expression. */
export function regexMistakes(pattern: string, path: Path, say: Say): Mistake[] {
  try {
    new RegExp(pattern, 'mu')
    return []
  } catch (error) {
    return [say(path, (error as Error).message)]
  }
}

/** A JSON Schema that is none. */
export function schemaMistakes(schema: JsonSchema, path: Path, say: Say): Mistake[] {
  const check = jsonSchemaCheck(schema)
  return 'mistake' in check ? [say(path, `no JSON Schema: ${check.mistake}`)] : []
}
