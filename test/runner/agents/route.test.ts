import { expect, test } from 'vitest'
import { FAMILIES, type Family, familyOf } from '../../../src/runner/agents/family.ts'
import { routeVerifier } from '../../../src/runner/agents/route.ts'
import type { Agent } from '../../../src/runner/agents/runner-settings.ts'

const agent = (name: string, family: Family, program = process.execPath): Agent => ({
  ...{ name, argv: [program, 'x'], prompt: 'stdin', family, env: {} },
})
const CLAUDE = agent('claude', 'Anthropic')
const CODEX = agent('codex', 'OpenAI')
const GEMINI = agent('gemini', 'Google')
const ODD = agent('odd', 'unknown')
const ABSENT = agent('grok', 'xAI', '/no/such/program')

test.each<[string, Agent[], Family, Record<string, Family | 'person'>, string, Family[]]>([
  ['the first of another family', [CLAUDE, CODEX, GEMINI], 'Anthropic', {}, 'codex', ['Anthropic']],
  ['in the order of the settings', [GEMINI, CODEX], 'Anthropic', {}, 'gemini', ['Anthropic']],
  ['a person is of no family', [CODEX], 'Anthropic', { 'inputs.a': 'person' }, 'codex', ['Anthropic']],
  [
    'not of an author’s family',
    [CODEX, GEMINI],
    'Anthropic',
    { 'steps.a': 'OpenAI' },
    'gemini',
    ['Anthropic', 'OpenAI'],
  ],
  [
    'each family is excluded once',
    [CLAUDE, CODEX, GEMINI],
    'Anthropic',
    { 'steps.a': 'Anthropic', 'inputs.b': 'OpenAI', 'steps.c': 'OpenAI', 'inputs.d': 'person' },
    'gemini',
    ['Anthropic', 'OpenAI'],
  ],
  ['an agent of unknown family is passed over', [ODD, CODEX], 'Anthropic', {}, 'codex', ['Anthropic']],
  ['one that is not installed is passed over', [ABSENT, CODEX], 'Anthropic', {}, 'codex', ['Anthropic']],
])('rule.verifierIndependence: %s', (_, agents, primary, authors, name, excluded) => {
  expect(routeVerifier(agents, primary, authors, {})).toEqual({
    agent: agents.find(one => one.name === name),
    excluded,
  })
})

test.each<[string, Agent[], Family, Record<string, Family | 'person'>, RegExp, RegExp]>([
  [
    'the primary is unknown',
    [CODEX],
    'unknown',
    {},
    /the primary's family is unknown/,
    /the primary's family/,
  ],
  [
    'an author is unknown',
    [CODEX],
    'Anthropic',
    { 'steps.a': 'Anthropic', 'inputs.b': 'unknown' },
    /who wrote inputs\.b is unknown/,
    /^--author b=FAMILY/,
  ],
  [
    'no other family',
    [CLAUDE, ODD],
    'Anthropic',
    {},
    /no agent of another family than Anthropic is there/,
    /name one under "agents"/,
  ],
  [
    'an author took the only other',
    [CLAUDE, CODEX],
    'Anthropic',
    { 'steps.a': 'OpenAI' },
    /than Anthropic, OpenAI is there/,
    /name one/,
  ],
  ['none is installed', [CLAUDE, ABSENT], 'Anthropic', {}, /is there/, /^not installed: grok \(xAI\)$/],
])('rule.verifierIndependence: nobody verifies: %s', (_, agents, primary, authors, refused, hint) => {
  expect(routeVerifier(agents, primary, authors, {})).toEqual({
    refused: expect.stringMatching(refused),
    hint: expect.stringMatching(hint),
  })
})

test.each<[string, Family]>([
  ...FAMILIES.map((family): [string, Family] => [family, family]),
  ['anthropic', 'Anthropic'],
  ['OPENAI', 'OpenAI'],
  ['Open', 'unknown'],
  ['', 'unknown'],
  ['person', 'unknown'],
])('%j names the family %s', (word, family) => {
  expect(familyOf(word)).toBe(family)
})

test('the families are those of the specification', () => {
  expect(FAMILIES).toEqual(['Anthropic', 'Google', 'OpenAI', 'xAI', 'Zhipu', 'unknown'])
})
