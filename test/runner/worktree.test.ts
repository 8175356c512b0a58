import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bench, chainOf, eventsOf, type Rule, statuses } from './support/bench.ts'

function repository() {
  const here = bench()
  const git = (...args: string[]) => {
    const all = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args]
    const done = spawnSync('git', all, { cwd: here.place.project, env: here.place.env, encoding: 'utf8' })
    if (done.status !== 0) throw new Error(done.stderr)
    return done.stdout.trim()
  }
  git('init', '-q', '-b', 'main')
  here.write(join(here.place.project, 'file.txt'), 'first')
  git('add', 'file.txt')
  git('commit', '-q', '-m', 'first')
  git('tag', 'one')
  return { here, git, worktrees: () => git('worktree', 'list').split('\n').length - 1 }
}

const isolated = (cleanup?: string, more: object = {}) => ({
  isolation: { type: 'worktree', ...(cleanup ? { cleanup } : {}) },
  ...more,
})

describe('rule.isolation: a step runs in a worktree of its own, which is cleaned up by its policy', () => {
  test('also where a hook of git started the run: what git does there is done there', async () => {
    const { here, git } = repository()
    const before = git('rev-parse', 'HEAD')
    Object.assign(here.place.env, { GIT_DIR: join(here.place.project, '.git'), GIT_INDEX_FILE: '.git/index' })
    here.settings({
      agents: {
        claude: {
          argv: [
            'bash',
            '-c',
            'git -c user.name=t -c user.email=t@x commit -qm own --allow-empty; echo done',
          ],
          family: 'Anthropic',
        },
      },
    })
    const gates = [
      { type: 'bash_exit_code', script: 'test "$(git log -1 --format=%s)" = own', on_fail: 'halt' },
    ]
    const ran = await here.run(chainOf([isolated('always', { gates })]))
    for (const name of ['GIT_DIR', 'GIT_INDEX_FILE']) delete here.place.env[name]
    expect(eventsOf(ran.events, 'worktree_kept')[0]?.reason).toMatch(/commits of its own/)
    expect(eventsOf(ran.events, 'gate')).toMatchObject([{ passed: true }])
    expect(git('rev-parse', 'HEAD')).toBe(before)
  })

  test('the agent and the gates work there, and the project stays as it is', async () => {
    const { here, git } = repository()
    here.rules({ when: 'part 1', write: { 'out.md': 'made' } }, {})
    const gates = [
      { type: 'file_contains', path: 'file.txt', text: 'first', on_fail: 'halt' },
      { type: 'file_exists', path: 'out.md', on_fail: 'halt' },
    ]
    const ran = await here.run(
      chainOf([
        isolated('keep', { gates, isolation: { type: 'worktree', base: 'one', cleanup: 'keep' } }),
        {},
      ]),
    )
    expect(statuses(ran)).toBe('succeeded succeeded')
    const { path, base } = eventsOf(ran.events, 'worktree_opened')[0] as { path: string; base: string }
    expect(here.calls()[0]?.cwd).toBe(path)
    expect(base).toBe(git('rev-parse', 'one'))
    expect(existsSync(join(here.place.project, 'out.md'))).toBe(false)
    expect(here.calls()[1]?.cwd).toBe(here.place.project)
  })

  const dirty: Rule = { when: 'part 1', write: { 'out.md': 'made' } }
  test.each<[string, string | undefined, Rule, object, 'removed' | RegExp]>([
    ['always, clean', 'always', {}, {}, 'removed'],
    ['always, clean, failed', 'always', { when: 'part 1', exit: 1 }, {}, 'removed'],
    ['always, with changes', 'always', dirty, {}, /it holds changes \(1 files\)/],
    ['on_success, succeeded', 'on_success', {}, {}, 'removed'],
    ['on_success, failed', 'on_success', { when: 'part 1', exit: 1 }, {}, /its step did not succeed/],
    ['on_success, with changes', 'on_success', dirty, {}, /it holds changes/],
    ['keep', 'keep', {}, {}, /its policy is keep/],
    ['nothing said is on_success', undefined, {}, {}, 'removed'],
    [
      'always, with commits of its own',
      'always',
      {},
      {
        gates: [
          {
            type: 'bash_exit_code',
            argv: [
              'git',
              '-c',
              'user.name=t',
              '-c',
              'user.email=t@example.invalid',
              'commit',
              '-q',
              '--allow-empty',
              '-m',
              'own',
            ],
            on_fail: 'halt',
          },
        ],
      },
      /it holds commits of its own/,
    ],
    [
      'always, locked',
      'always',
      {},
      { gates: [{ type: 'bash_exit_code', script: 'git worktree lock "$PWD"', on_fail: 'halt' }] },
      /lock/,
    ],
  ])('%s', async (_, cleanup, rule, more, expected) => {
    const { here, worktrees } = repository()
    here.rules(rule, {})
    const ran = await here.run(
      chainOf([isolated(cleanup, { retry: 0, on_failure: 'continue', ...more }), {}]),
    )
    const { path } = eventsOf(ran.events, 'worktree_opened')[0] as { path: string }
    const kept = eventsOf(ran.events, 'worktree_kept')
    if (expected === 'removed') {
      expect([existsSync(path), worktrees(), kept]).toEqual([false, 0, []])
      return
    }
    expect([existsSync(path), worktrees()]).toEqual([true, 1])
    expect(kept).toMatchObject([{ step: 's1', path, reason: expect.stringMatching(expected) }])
    // It is named to the person.
    expect(ran.summary.warnings.join('\n')).toContain(path)
  })

  test('of a project below the repository, the step runs in the same folder of the worktree', async () => {
    const { here, git } = repository()
    here.write(join(here.place.project, 'part/inner.txt'), 'inner')
    git('add', 'part')
    git('commit', '-q', '-m', 'part')
    const below = { ...here.place, project: join(here.place.project, 'part') }
    const gate = { type: 'file_contains', path: 'inner.txt', text: 'inner', on_fail: 'halt' }
    Object.assign(here.place, below)
    const ran = await here.run(chainOf([isolated('always', { gates: [gate] }), {}]))
    expect(ran.summary.status, ran.summary.reason ?? '').toBe('succeeded')
    expect(here.calls()[0]?.cwd.endsWith('/part')).toBe(true)
    expect(existsSync(join(here.place.runnerFolder, 'worktrees', ran.summary.runId))).toBe(false)
  })

  test('it is cleaned up when the next step begins, not before', async () => {
    const { here } = repository()
    const ran = await here.run(chainOf([isolated('always'), {}]))
    const order = ran.events.flatMap(event => (/^(worktree_|step_)/.test(event.event) ? [event.event] : []))
    expect(order).toEqual([
      ...['step_started', 'worktree_opened', 'step_completed'],
      ...['worktree_removed', 'step_started', 'step_completed'],
    ])
  })

  test('several at once with --jobs', async () => {
    const { here, worktrees } = repository()
    const ran = await here.run(chainOf([isolated('always'), isolated('always'), isolated('always')]), {
      jobs: 3,
    })
    expect(statuses(ran)).toBe('succeeded succeeded succeeded')
    expect(new Set(here.calls().map(call => call.cwd)).size).toBe(3)
    expect(worktrees()).toBe(0)
  })

  test.each([
    ['no repository', undefined, false],
    ['no such commit', 'no-such-tag', true],
    ['a base that looks like an option', '--all', true],
  ])('%s is refused before anything runs', async (_, base, hasRepository) => {
    const here = hasRepository ? repository().here : bench()
    const isolation = { type: 'worktree', ...(base ? { base } : {}) }
    await expect(here.run(chainOf([{ isolation }, {}]))).rejects.toThrow(/step s1: no commit/)
    expect(here.calls()).toEqual([])
  })
})
