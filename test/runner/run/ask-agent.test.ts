import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { canonicalJson } from '../../../src/runner/log/canonical-json.ts'
import { isPosix } from '../../support/only-where.ts'
import { agentCommand, type Bench, bench, chainOf, eventsOf } from '../support/bench.ts'

beforeEach(({ skip }) => skip(!isPosix, 'agents that are scripts of a POSIX shell'))

/** An agent that is a shell script. */
function scripted(here: Bench, script: string, more: object = {}): void {
  here.settings({
    agents: { claude: { argv: ['/bin/sh', '-c', script, 'sh'], family: 'Anthropic', ...more } },
  })
}

const ONE = chainOf([{ instruction: 'Say it.', retry: 0 }], { outputs: { it: '{{ steps.s1.output }}' } })

/** What a scripted agent answers to one question. */
async function answer(script: string, more: object = {}, env: NodeJS.ProcessEnv = {}) {
  const here = bench()
  Object.assign(here.place.env, env)
  scripted(here, script, more)
  const ran = await here.run(ONE)
  return { ...ran, here, it: ran.summary.outputs.it, reason: ran.summary.reason }
}

describe('rule.agents: how an agent is given its prompt and its surroundings', () => {
  const TELL = 'printf "%s" "in=$(cat)"; for one in "$@"; do printf "[%s]" "$one"; done'
  test.each<[string, object, string]>([
    ['on its standard input', {}, 'in=Say it.'],
    ['as the last argument', { prompt: 'argument' }, 'in=[Say it.\n]'],
    [
      'as the arguments that say so, whole ones alone',
      { prompt: 'argument', argv: ['/bin/sh', '-c', TELL, 'sh', '{prompt}', 'a', '{prompt}', 'x{prompt}'] },
      'in=[Say it.\n][a][Say it.\n][x{prompt}]',
    ],
    [
      'on its standard input, also where an argument looks like it',
      { argv: ['/bin/sh', '-c', TELL, 'sh', '{prompt}'] },
      'in=Say it.[{prompt}]',
    ],
  ])('%s', async (_, more, expected) => {
    expect((await answer(TELL, more)).it).toBe(expected)
  })

  test("the person's variables, those of the settings before them, and no repository but its own", async () => {
    const tell = 'echo "$MINE $BOTH $OWN [$GIT_DIR] [$GIT_INDEX_FILE]"'
    const given = { env: { BOTH: 'given', OWN: 'own', GIT_INDEX_FILE: 'index' } }
    const ran = await answer(tell, given, { MINE: 'mine', BOTH: 'person', GIT_DIR: 'x', GIT_INDEX_FILE: 'x' })
    expect(ran.it).toBe('mine given own [] [index]')
  })
})

describe('rule.bounded: why an agent has not answered', () => {
  test.each<[string, string, RegExp]>([
    ['another exit code', 'exit 7', /^step s1: agent claude: exit 7$/],
    ['what is not UTF-8', String.raw`printf 'a\377'`, /^step s1: agent claude: its answer is not UTF-8$/],
    [
      'with the last three lines that it says',
      'printf "one\\ntwo\\nthree\\nfour\\n\\n" >&2; exit 1',
      /^step s1: agent claude: exit 1: two three four$/,
    ],
    ['with the end of a long one', `printf 'b%0299d' 0 >&2; exit 1`, /: exit 1: b0{299}$/],
    ['and no more of it', `printf 'ab%0299d' 0 >&2; exit 1`, /: exit 1: b0{299}$/],
  ])('%s', async (_, script, reason) => {
    expect((await answer(script)).reason).toMatch(reason)
  })

  test('what it says is whole characters and holds no secret, also where it is cut', async () => {
    const cut = await answer(`printf '😀%0299d' 0 >&2; exit 1`)
    expect(cut.reason).toMatch(/exit 1: \ufffd0{299}$/)
    expect(cut.reason?.isWellFormed()).toBe(true)
    const said = await answer('echo "it is $API_KEY" >&2; exit 1', {}, { API_KEY: 'hunter2-hunter2' })
    expect(said.reason).toMatch(/exit 1: it is \[redacted API_KEY\]$/)
    expect(readFileSync(said.summary.logPath, 'utf8')).not.toContain('hunter2')
    // Cut first, a part of it would not be found any more.
    const part = await answer(
      `printf '%s%0290d' "$API_KEY" 0 >&2; exit 1`,
      {},
      { API_KEY: 'hunter2-hunter2' },
    )
    expect(part.reason).toMatch(/exit 1: d API_KEY\]0{290}$/)
  })

  test.each([
    ["the step's own time", '2s', '1s', 'no answer within 2 s'],
    ["else the agent's", undefined, '1s', 'no answer within 1 s'],
  ])('%s', async (_, timeout, own, reason) => {
    const here = bench()
    scripted(here, 'sleep 100 & wait', { timeout: own })
    const ran = await here.run(chainOf([{ retry: 0, ...(timeout && { timeout }) }, {}]))
    expect(ran.summary.reason).toBe(`step s1: agent claude: ${reason}`)
  })
})

describe('rule.auditLog: what an agent was asked and what it said', () => {
  test('the hash of the prompt, the process, and hash and size of the answer as others see it', async () => {
    const script = 'cat > asked; echo "ä $API_KEY"'
    const { events, here } = await answer(script, {}, { API_KEY: 'hunter2-hunter2' })
    const said = 'ä [redacted API_KEY]\n'
    const prompt = readFileSync(join(here.place.project, 'asked'))
    expect(eventsOf(events, 'agent_called')).toMatchObject([
      {
        ...{ step: 's1', purpose: 'step', agent: 'claude', family: 'Anthropic', skill: null },
        prompt_sha256: hash('sha256', prompt),
      },
    ])
    expect(eventsOf(events, 'agent_started')).toMatchObject([{ purpose: 'step', pid: expect.any(Number) }])
    const answered = eventsOf(events, 'agent_answered')
    expect(answered).toMatchObject([
      {
        ...{ step: 's1', purpose: 'step', ok: true, exit: 0, problem: null },
        ...{ bytes: Buffer.byteLength(said), output_sha256: hash('sha256', said) },
      },
    ])
    expect(answered[0]?.elapsed_ms).toBeLessThan(60_000)
    const output = { text: said.trim(), value: said.trim() }
    expect(eventsOf(events, 'step_completed')).toMatchObject([
      { output, output_sha256: hash('sha256', canonicalJson(output)) },
    ])
    expect(events[0]).toMatchObject({ event: 'run_started' })
  })

  test('one that failed is logged as that, with its exit code and why', async () => {
    const { events } = await answer('printf x; echo no >&2; exit 3')
    expect(eventsOf(events, 'agent_answered')).toMatchObject([
      {
        ok: false,
        exit: 3,
        bytes: 1,
        output_sha256: hash('sha256', 'x'),
        problem: 'agent claude: exit 3: no',
      },
    ])
  })
})

describe('rule.interrupt: an agent and an interrupt', () => {
  test.each<[string, string, string[]]>([
    ['before it is asked, it is not asked', 'step_started', []],
    ['as it has answered, the answer does not count', 'agent_answered', ['agent_called', 'agent_answered']],
  ])('%s', async (_, at, told) => {
    const here = bench()
    const cancel = new AbortController()
    const ran = await here.run(chainOf([{}, {}]), {
      signal: cancel.signal,
      onEvent: event => event.event === at && cancel.abort('SIGTERM'),
    })
    const events = ran.events.map(event => event.event)
    expect(events.filter(event => /^agent_(called|answered)$|^step_completed$/.test(event))).toEqual(told)
    expect(ran.events.at(-1)).toMatchObject({ event: 'run_interrupted', signal: 'SIGTERM' })
    expect(ran.summary).toMatchObject({ status: 'halted', isResumable: true, outputs: {} })
    expect((await here.resume(ran.summary.logPath)).summary.status).toBe('succeeded')
  })
})

test('rule.budget: the last call of a budget is made, the one after it is not, whatever on_failure says', async () => {
  for (const on_failure of ['halt', 'continue', 'escalate']) {
    const here = bench()
    const ran = await here.run(chainOf([{}, {}, { on_failure }, {}], { budget: { max_model_calls: 2 } }))
    expect(here.calls()).toHaveLength(2)
    expect(ran.summary).toMatchObject({
      ...{ status: 'halted', isResumable: false, escalated: null, refused: true, budgetRemaining: 0 },
      steps: [{ status: 'succeeded' }, { status: 'succeeded' }, { status: 'failed' }, { status: 'not run' }],
    })
    expect(ran.events.at(-1)).toMatchObject({ event: 'chain_complete', budget_remaining: 0, refused: true })
  }
})

test('rule.agents: the first agent of a settings file is no primary by that', async () => {
  const here = bench()
  here.settings({
    agents: {
      codex: agentCommand('codex', here.agents, 'OpenAI'),
      claude: agentCommand('claude', here.agents, 'Anthropic'),
    },
  })
  const { summary } = await here.run(ONE)
  expect([summary.steps[0]?.agent, summary.steps[0]?.family]).toEqual(['claude', 'Anthropic'])
})
