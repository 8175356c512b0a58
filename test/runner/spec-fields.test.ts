import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { publishedSchema } from '../../src/runner/spec/published-schema.ts'
import { checkChain } from '../../src/runner/spec/read-chain.ts'

/** A chain that is right; each row below spoils or adds one thing. */
const GOOD = `name: sample
description: A chain for tests.
version: 1.0.0
primary: claude
inputs:
  - name: topic
    type: string
    description: What it is about.
  - name: depth
    type: integer
    default: 2
steps:
  - id: draft
    runner: claude
    instruction: 'Write about {{ inputs.topic }} at depth {{ inputs.depth }}.'
    output_schema:
      type: json
      schema:
        type: object
        required: [title]
        additionalProperties: false
        properties:
          title: { type: string }
  - id: polish
    runner: skill
    skill: agent-collab:polish@1.2.0
    needs: [draft]
    run_if: '{{ steps.draft.success }} and {{ inputs.depth }} != 0'
    input:
      text: '{{ steps.draft.output.title }}'
    retry: 2
    on_failure: escalate
    timeout: 90s
    isolation:
      type: worktree
      cleanup: on_success
    gates:
      - type: file_exists
        path: out.md
        on_fail: warn
    verification:
      fields: [title]
    output_schema: { type: json, schema: {} }
  - id: second
    kind: cross_check
    of: [steps.draft]
    instruction: 'Is this true? {{ steps.draft.output }}'
outputs:
  title: '{{ steps.draft.output.title }}'
audit:
  log_path: ~/logs
budget:
  max_model_calls: 9
`

/** The mistakes of the good chain with one text replaced by another, as `line:column message (hint)`. */
function spoiled(from: string, to: string): string[] {
  expect(GOOD, 'the text to replace stands in the chain').toContain(from)
  const checked = checkChain(GOOD.replace(from, to))
  return 'chain' in checked
    ? []
    : checked.mistakes.map(
        one => `${one.line}:${one.column} ${one.message}${one.hint ? ` (${one.hint})` : ''}`,
      )
}

test('yamlFormat: a chain with every field is right', () => {
  expect(checkChain(GOOD)).toMatchObject({ chain: { name: 'sample', steps: [{}, {}, {}] } })
})

describe('rule.closedFormat: what is wrong is refused with line, column and what would fit', () => {
  test.each<[string, string, string, RegExp]>([
    [
      'an unknown field of the chain',
      'budget:',
      'budgett:',
      /^\d+:1 unknown field "budgett" \(did you mean "budget"\?\)/,
    ],
    ['of an input', '    type: integer', '    typ: integer', /unknown field "typ" \(did you mean "type"\?\)/],
    [
      'of a step',
      "instruction: 'Write",
      "instrution: 'Write",
      /^15:5 unknown field "instrution" \(did you mean "instruction"\?\)/,
    ],
    ['of a gate', 'path: out.md', 'pth: out.md', /unknown field "pth" \(did you mean "path"\?\)/],
    [
      'of an output_schema',
      '      schema:\n',
      '      shema:\n',
      /unknown field "shema" \(did you mean "schema"\?\)/,
    ],
    ['of the isolation', 'cleanup: on', 'clenup: on', /unknown field "clenup" \(did you mean "cleanup"\?\)/],
    ['of the verification', 'fields:', 'feilds:', /unknown field "feilds" \(did you mean "fields"\?\)/],
    ['of the audit', 'log_path:', 'logpath:', /unknown field "logpath" \(did you mean "log_path"\?\)/],
    ['of the budget', 'max_model_calls:', 'max_model_call:', /unknown field "max_model_call" \(did you mean/],
    ['a missing name', 'name: sample\n', '', /^1:1 "name" is missing/],
    ['a missing version', 'version: 1.0.0\n', '', /"version" is missing/],
    ['a missing description', 'description: A chain for tests.\n', '', /"description" is missing/],
    ['a missing primary', 'primary: claude\n', '', /"primary" is missing/],
    ['a version that is none', 'version: 1.0.0', 'version: 1.0', /"version" is a number, not a text/],
    ['an input type', 'type: integer', 'type: integr', /^10:11 .*none of .*integer.*did you mean "integer"/],
    ['a default of another type', 'default: 2', 'default: two', /the default is not a whole number/],
    ['two inputs of one name', 'name: depth', 'name: topic', /an input of this name stands before/],
    ['two steps of one id', 'id: polish', 'id: draft', /a step of this id stands before/],
    [
      'a runner that is not the primary',
      'runner: claude',
      'runner: codex',
      /neither "skill" nor the primary/,
    ],
    ['no runner', '    runner: claude\n', '', /"runner" is missing/],
    ['an unpinned skill', '@1.2.0', '@latest', /one exact version/],
    ['a skill with a family before it', ':polish@', ':codex-polish@', /begins with a family \(codex-\)/],
    ['a skill step without a skill', '    skill: agent-collab:polish@1.2.0\n', '', /names it/],
    [
      'needs an unknown step',
      'needs: [draft]',
      'needs: [drafd]',
      /no step "drafd" stands before.*did you mean "draft"/,
    ],
    [
      'a retry that is no number',
      'retry: 2',
      'retry: often',
      /"steps.1.retry" is a string, not a (whole )?number/,
    ],
    ['a retry over the limit', 'retry: 2', 'retry: 99', /is over 10/],
    ['an on_failure', 'escalate', 'escalat', /did you mean "escalate"/],
    ['a timeout', 'timeout: 90s', 'timeout: 90', /"steps.1.timeout"/],
    ['an isolation type', 'type: worktree', 'type: container', /worktree/],
    ['a cleanup', 'cleanup: on_success', 'cleanup: sometimes', /none of always, on_success, keep/],
    [
      'a gate type',
      'type: file_exists',
      'type: file_exist',
      /none of file_exists, .*did you mean "file_exists"/,
    ],
    ['a gate without on_fail', '        on_fail: warn\n', '', /"on_fail" is missing/],
    ['an on_fail', 'on_fail: warn', 'on_fail: ignore', /none of halt, retry, warn/],
    [
      'an output_schema type',
      'type: json\n',
      'type: jsn\n',
      /none of text, json, jsonl, structured-text.*did you mean "json"/,
    ],
    ['a JSON Schema that is none', 'type: object\n', 'type: objet\n', /no JSON Schema/],
    [
      'a structured-text without anchor',
      'type: json\n      schema:',
      'type: structured-text\n      x:',
      /"output_anchor" is missing/,
    ],
    ['a cross_check without of', '    of: [steps.draft]\n', '', /"of" is missing/],
    [
      'a cross_check of nothing known',
      'steps.draft]',
      'steps.draff]',
      /no input and no step.*did you mean "steps.draft"/,
    ],
    [
      'a cross_check with a runner',
      'kind: cross_check',
      'kind: cross_check\n    runner: claude',
      /no runner of its own/,
    ],
    ['an unknown kind', 'kind: cross_check', 'kind: check', /none of step, cross_check/],
    [
      'a comparison of fields that text has not',
      '    output_schema: { type: json, schema: {} }\n',
      '',
      /no fields to compare/,
    ],
    [
      'a verification of a verification',
      "instruction: 'Is this",
      "verification: {}\n    instruction: 'Is this",
      /a cross_check is a verification/,
    ],
    ['an id that objects have of their own', 'id: polish', 'id: __proto__', /"steps.1.id" is not valid/],
    ['a budget of zero', 'max_model_calls: 9', 'max_model_calls: 0', /too small/],
    [
      'verifier_family on a step',
      '    retry: 2',
      '    verifier_family: OpenAI',
      /^31:5 verifier_family is refused/,
    ],
    [
      'verifier_family deep in an input',
      '      text: ',
      '      verifier_family: x\n      text: ',
      /verifier_family is refused/,
    ],
    [
      'verifier_family in a gate',
      'path: out.md',
      'path: out.md\n        verifier_family: x',
      /verifier_family is refused/,
    ],
    [
      'verifier_family on the chain',
      'budget:',
      'verifier_family: xAI\nbudget:',
      /verifier_family is refused/,
    ],
    ['a field twice', 'retry: 2', 'retry: 2\n    retry: 3', /not well-formed YAML/],
    ['a second document', 'budget:', '---\nbudget:', /a second document/],
    ['an unknown tag', 'retry: 2', 'retry: !!js/function x', /not well-formed YAML/],
  ])('%s', (_, from, to, told) => {
    const found = spoiled(from, to)
    expect(found.join('\n')).toMatch(new RegExp(told.source, 'm'))
    for (const line of found) expect(line).toMatch(/^\d+:\d+ /)
  })

  test('each is said once', () => {
    expect(spoiled('    retry: 2', '    verifier_family: OpenAI')).toHaveLength(1)
    expect(spoiled("instruction: 'Write", "instrution: 'Write")).toHaveLength(1)
  })

  test('one step that does what a skill alone would is refused', () => {
    const bare = GOOD.slice(0, GOOD.indexOf('inputs:')).concat(
      'steps:\n  - id: only\n    runner: claude\n    instruction: Say hello.\n',
    )
    expect(checkChain(bare)).toMatchObject({
      mistakes: [{ message: expect.stringContaining('needs no chain') }],
    })
    expect(checkChain(`${bare}    output_schema: { type: text }\n`)).toHaveProperty('chain')
  })

  test('aliases that grow without bound are refused', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x,x]', 'b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]']
      .concat('c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]', 'd: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]')
      .join('\n')
    expect(checkChain(bomb)).toMatchObject({ mistakes: [{ message: expect.stringContaining('alias') }] })
  })
})

describe('rule.templatesChecked: templates are checked before anything runs', () => {
  test.each<[string, string, string, RegExp]>([
    [
      'an unknown input',
      '{{ inputs.topic }}',
      '{{ inputs.topik }}',
      /^15:18 unknown input "topik".*did you mean "topic"/,
    ],
    [
      'an unknown step',
      "{{ steps.draft.output.title }}'\n    retry",
      "{{ steps.draf.output.title }}'\n    retry",
      /unknown step "draf".*did you mean "draft"/,
    ],
    [
      'a step that comes later',
      '{{ inputs.topic }}',
      '{{ steps.polish.output }}',
      /step "polish" has no output yet/,
    ],
    ['the step itself', '{{ inputs.topic }}', '{{ steps.draft.output }}', /step "draft" has no output yet/],
    [
      'a field that the schema has not',
      "output.title }}'\n    retry",
      "output.titel }}'\n    retry",
      /no field "titel".*did you mean "title"/,
    ],
    ['what is no template', '{{ inputs.topic }}', '{{ env.HOME }}', /no template: \{\{ env.HOME \}\}/],
    ['a call', '{{ inputs.topic }}', '{{ inputs.topic | upper }}', /no template/],
    [
      'a field of whether a step succeeded',
      '{{ inputs.topic }}',
      '{{ steps.draft.success.more }}',
      /no template: \{\{ steps\.draft\.success\.more \}\}/,
    ],
    ['one that is not closed', '{{ inputs.topic }}', '{{ inputs.topic', /no template|not closed/],
    [
      'a condition that names a later step',
      'steps.draft.success',
      'steps.second.success',
      /"second" has no success yet/,
    ],
    ['a condition that is none', '!= 0', '> 0', /run_if does not understand >/],
    ['a condition that ends too soon', ' != 0', ' and', /run_if ends too soon/],
    [
      'an output of an unknown step',
      "title: '{{ steps.draft",
      "title: '{{ steps.draff",
      /unknown step "draff"/,
    ],
    [
      'a field of a text',
      "title: '{{ steps.draft.output.title",
      "title: '{{ steps.second.output.title",
      /is text and has no field/,
    ],
    [
      'a template where none is filled',
      'out.md',
      "out.md\n        name: '{{ inputs.topic }}'",
      /a template is not filled here/,
    ],
    [
      'a template in a description',
      'A chain for tests.',
      'About {{ inputs.topic }}',
      /^2:14 a template is not filled here/,
    ],
  ])('%s', (_, from, to, told) => {
    expect(spoiled(from, to).join('\n')).toMatch(new RegExp(told.source, 'm'))
  })

  test('what only looks like one stands as it is where none is filled', () => {
    expect(spoiled('A chain for tests.', "'Fills {{name}} in'")).toEqual([])
  })
})

test('the published JSON Schema is the current one', () => {
  const path = resolve(import.meta.dirname, '../../chains/chain.schema.json')
  expect(readFileSync(path, 'utf8'), 'node scripts/chain-schema.mjs writes it').toBe(publishedSchema())
})
