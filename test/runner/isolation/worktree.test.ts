import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { inOwnRepository } from '../../../src/runner/isolation/git-environment.ts'
import { type Cleanup, cleanUp, commitOf, makeWorktree } from '../../../src/runner/isolation/worktree.ts'
import { isPosix, onlyWhere } from '../../support/only-where.ts'
import { sharedTempFolder, tempFolder } from '../../support/temp-folder.ts'

const ENV = {
  ...{ PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  ...{ GIT_AUTHOR_NAME: 't', GIT_AUTHOR_EMAIL: 't@example.invalid' },
  ...{ GIT_COMMITTER_NAME: 't', GIT_COMMITTER_EMAIL: 't@example.invalid' },
}

function gitIn(cwd: string, ...args: string[]): string {
  const done = spawnSync('git', args, { cwd, env: ENV, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(done.stderr)
  return done.stdout.trim()
}

const template = join(sharedTempFolder(), 'project')

/** A repository of two commits, the first with a tag, the second with a folder in it. */
beforeAll(() => {
  const project = template
  mkdirSync(join(project, 'part', 'inner'), { recursive: true })
  const git = (...args: string[]) => gitIn(project, ...args)
  git('init', '-q', '-b', 'main')
  writeFileSync(join(project, 'file.txt'), 'first')
  writeFileSync(join(project, '.gitignore'), 'built\n')
  git('add', '.')
  git('commit', '-q', '-m', 'first')
  git('tag', '-a', 'one', '-m', 'one')
  writeFileSync(join(project, 'part', 'inner', 'file.txt'), 'second')
  git('add', '.')
  git('commit', '-q', '-m', 'second')
})

function repository() {
  const root = tempFolder()
  const project = join(root, 'project')
  cpSync(template, project, { recursive: true, preserveTimestamps: true })
  const git = (...args: string[]) => gitIn(project, ...args)
  return { root, project, git, first: git('rev-parse', 'one^{commit}'), head: git('rev-parse', 'HEAD') }
}

async function withWorktree() {
  const here = repository()
  const path = join(here.root, 'run', 'trees', 's1')
  expect(await makeWorktree(here.project, path, here.head, ENV)).toBeNull()
  const paths = () => here.git('worktree', 'list', '--porcelain').match(/^worktree .*$/gm)?.length
  const clean = (cleanup: Cleanup, succeeded = true) =>
    cleanUp(here.project, { path, base: here.head }, cleanup, succeeded, ENV)
  return { ...here, path, paths, clean }
}

describe('rule.isolation: where a worktree begins', () => {
  test('at the commit of a name, and at the folder of the project in it', async () => {
    const { project, first, head } = repository()
    expect(await commitOf(project, 'HEAD', ENV)).toEqual({ commit: head, prefix: '' })
    // A tag is an object of its own; the commit is what it names.
    expect(await commitOf(project, 'one', ENV)).toEqual({ commit: first, prefix: '' })
    expect(await commitOf(project, head.slice(0, 12), ENV)).toEqual({ commit: head, prefix: '' })
    const below = await commitOf(join(project, 'part', 'inner'), 'HEAD', ENV)
    expect(below).toEqual({ commit: head, prefix: 'part/inner/' })
  })

  test.each(['no-such', '--all', '-h', '--help', 'HEAD:file.txt', 'HEAD^{tree}', ''])(
    '%j is no commit to begin at',
    async base => {
      const { project } = repository()
      expect(await commitOf(project, base, ENV)).toEqual({
        problem: `no commit "${base}" in ${project}, which a worktree could begin at`,
      })
    },
  )

  test('a folder without a repository has none', async () => {
    const folder = tempFolder()
    const env = { ...ENV, GIT_CEILING_DIRECTORIES: dirname(folder) }
    expect(await commitOf(folder, 'HEAD', env)).toMatchObject({ problem: expect.stringContaining(folder) })
  })

  test('it holds that commit and is on no branch, in folders that are made for it', async () => {
    const { root, project, git, first, head } = repository()
    const path = join(root, 'a', 'b', 'c')
    expect(await makeWorktree(project, path, first, ENV)).toBeNull()
    expect(gitIn(path, 'rev-parse', 'HEAD')).toBe(first)
    // Private, as all that the runner keeps: git itself would make them for all to read.
    if (isPosix) expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o700)
    expect(spawnSync('git', ['symbolic-ref', '-q', 'HEAD'], { cwd: path, env: ENV }).status).toBe(1)
    expect(existsSync(join(path, 'part'))).toBe(false)
    expect([git('rev-parse', 'HEAD'), git('branch', '--format=%(refname)')]).toEqual([
      head,
      'refs/heads/main',
    ])
  })

  test('why there is none is told in one line, the last that git says', async () => {
    const { root, project, head } = repository()
    const path = join(root, 'taken')
    mkdirSync(path)
    writeFileSync(join(path, 'mine'), 'mine')
    const made = await makeWorktree(project, path, head, ENV)
    expect(made?.problem).toMatch(/^no worktree could be made: fatal: .*already exists/)
    expect(made?.problem).not.toContain('\n')
    expect(readFileSync(join(path, 'mine'), 'utf8')).toBe('mine')
    expect(await makeWorktree(project, join(root, 'x'), 'f'.repeat(40), ENV)).toMatchObject({
      problem: expect.stringMatching(/^no worktree could be made: fatal: /),
    })
  })
})

describe('rule.isolation: what becomes of a worktree', () => {
  test.each<[Cleanup, boolean, true | RegExp]>([
    ['always', true, true],
    ['always', false, true],
    ['on_success', true, true],
    ['on_success', false, /^its step did not succeed$/],
    ['keep', true, /^its policy is keep$/],
    ['keep', false, /^its policy is keep$/],
  ])('%s, succeeded %s: removed %s', async (cleanup, succeeded, expected) => {
    const { clean, path, paths } = await withWorktree()
    const done = await clean(cleanup, succeeded)
    if (expected === true) expect([done, existsSync(path), paths()]).toEqual(['removed', false, 1])
    else {
      expect(done).toEqual({ kept: expect.stringMatching(expected) })
      expect([existsSync(path), paths()]).toEqual([true, 2])
    }
  })

  type Change = (path: string) => unknown
  const write = (name: string) => (path: string) => writeFileSync(join(path, name), 'x')
  test.each<[string, Change, RegExp]>([
    ['a new file', write('new.md'), /^it holds changes \(1 files\)$/],
    ['a changed file', write('file.txt'), /^it holds changes \(1 files\)$/],
    ['a file that is gone', path => rmSync(join(path, 'file.txt')), /^it holds changes \(1 files\)$/],
    [
      'what is staged',
      path => {
        write('new.md')(path)
        gitIn(path, 'add', '.')
      },
      /^it holds changes \(1 files\)$/,
    ],
    [
      'three of them',
      path => ['a', 'b', 'file.txt'].map(name => write(name)(path)),
      /^it holds changes \(3 files\)$/,
    ],
    [
      'a commit of its own',
      path => gitIn(path, 'commit', '-q', '--allow-empty', '-m', 'own'),
      /^it holds commits of its own \([0-9a-f]{12}\)$/,
    ],
    ['another commit', path => gitIn(path, 'checkout', '-q', 'one'), /^it holds commits of its own/],
    ['a lock', path => gitIn(path, 'worktree', 'lock', path), /lock/],
    ['nothing that git can read', path => rmSync(join(path, '.git')), /^git cannot read it: .*not a git/],
  ])('with %s it is kept, whatever its policy, and why is one line', async (_, change, why) => {
    const { clean, path } = await withWorktree()
    change(path)
    const done = await clean('always')
    expect(done).toEqual({ kept: expect.stringMatching(why) })
    expect(JSON.stringify(done)).not.toContain('\\n')
    expect(existsSync(path)).toBe(true)
  })

  test('what git ignores is no change: a build in it is removed with it', async () => {
    const { clean, path } = await withWorktree()
    writeFileSync(join(path, 'built'), 'x')
    expect([await clean('always'), existsSync(path)]).toEqual(['removed', false])
  })

  test('one that is gone already is forgotten by git too, whatever its policy', async () => {
    for (const cleanup of ['always', 'keep'] as const) {
      const { clean, path, paths } = await withWorktree()
      rmSync(path, { recursive: true })
      expect([await clean(cleanup, false), paths()]).toEqual(['removed', 1])
    }
  })

  test('the folder of the run goes with its last one, and nothing above it', async () => {
    const { root, project, head, path, clean } = await withWorktree()
    const second = join(dirname(path), 's2')
    expect(await makeWorktree(project, second, head, ENV)).toBeNull()
    expect(await clean('always')).toBe('removed')
    expect(existsSync(second)).toBe(true)
    expect(await cleanUp(project, { path: second, base: head }, 'always', true, ENV)).toBe('removed')
    expect([existsSync(dirname(path)), existsSync(join(root, 'run'))]).toEqual([false, true])
  })

  onlyWhere(isPosix, 'a program of a POSIX system')(
    'git is the one of the PATH, asked in plain English and without locks of its own',
    async () => {
      const folder = tempFolder()
      const told = join(folder, 'told')
      const script = `#!/bin/sh\nprintf '%s|' "$LC_ALL" "$GIT_OPTIONAL_LOCKS" "$GIT_DIR" "$MINE" "$@" >> "${told}"\npwd -P >> "${told}"\n`
      writeFileSync(join(folder, 'git'), `${script}echo "  abc  "\n`)
      chmodSync(join(folder, 'git'), 0o755)
      const env = {
        ...{ PATH: `${folder}${delimiter}${process.env.PATH}`, LC_ALL: 'de_DE.UTF-8', MINE: 'mine' },
        ...{ GIT_DIR: '/elsewhere', GIT_OPTIONAL_LOCKS: '1' },
      }
      expect(await commitOf(folder, 'b', env)).toEqual({ commit: 'abc', prefix: 'abc' })
      expect(readFileSync(told, 'utf8')).toBe(
        `C|0||mine|rev-parse|--verify|--quiet|--end-of-options|b^{commit}|${folder}\n` +
          `C|0||mine|rev-parse|--show-prefix|${folder}\n`,
      )
    },
  )
})

describe('rule.isolation: git works in the repository of its folder', () => {
  const OF_A_HOOK = [
    ...['GIT_DIR', 'GIT_WORK_TREE', 'GIT_COMMON_DIR', 'GIT_INDEX_FILE', 'GIT_PREFIX', 'GIT_NAMESPACE'],
    ...['GIT_OBJECT_DIRECTORY', 'GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_QUARANTINE_PATH'],
  ]

  test('what leads elsewhere is left out, and everything else stays', () => {
    const rest = { PATH: '/bin', GIT_AUTHOR_NAME: 'a', GIT_SSH_COMMAND: 'b', GIT_CONFIG_GLOBAL: 'c', A: '' }
    const hook = Object.fromEntries(OF_A_HOOK.map(name => [name, 'x']))
    const given = { ...hook, ...rest }
    expect(inOwnRepository(given)).toEqual(rest)
    expect(given).toHaveProperty('GIT_DIR', 'x')
  })

  test('all that a hook of another repository sets changes nothing of what is made and cleaned up', async () => {
    const other = repository()
    const here = repository()
    const env = {
      ...ENV,
      ...{ GIT_DIR: join(other.project, '.git'), GIT_WORK_TREE: other.project, GIT_PREFIX: 'part/' },
      ...{ GIT_INDEX_FILE: join(other.project, '.git', 'index'), GIT_NAMESPACE: 'n' },
      GIT_OBJECT_DIRECTORY: join(other.project, '.git', 'objects'),
    }
    writeFileSync(join(other.project, 'file.txt'), 'changed')
    other.git('commit', '-qam', 'third')
    expect(await commitOf(here.project, 'HEAD', env)).toEqual({ commit: here.head, prefix: '' })
    const path = join(here.root, 'trees', 's1')
    expect(await makeWorktree(here.project, path, here.head, env)).toBeNull()
    expect(here.git('worktree', 'list').split('\n')).toHaveLength(2)
    expect(await cleanUp(here.project, { path, base: here.head }, 'always', true, env)).toBe('removed')
    expect(other.git('status', '--porcelain')).toBe('')
  })
})
