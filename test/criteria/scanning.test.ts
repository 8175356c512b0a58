import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Outcome, place } from '../support/coord.ts'
import { packed } from '../support/packed.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const CORPUS = join(ROOT, 'test/corpus')

interface Row {
  id: string
  label: string
  kind: string
}

function rowsOf(out: string, name = 'messages.ndjson'): Row[] {
  return readFileSync(join(out, name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
}

function statusOf(out: string): string {
  return JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).status
}

/** The packed package with what it depends on, in a folder where nothing else is. */
function delivered(): string {
  const { folder } = packed()
  const { status, stdout, stderr } = spawnSync('npm', ['ls', '--omit=dev', '--all', '--parseable'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  expect(status, stderr).toBe(0)
  for (const path of stdout.trim().split('\n')) {
    const name = relative(ROOT, path)
    if (name !== '') cpSync(path, join(folder, name), { recursive: true, dereference: true })
  }
  return join(folder, 'dist/coord.js')
}

/** Hides the project's folder from a command where the system allows that; it is named nowhere else in any case. */
const HIDDEN = ['unshare', '-rm', 'sh', '-c', 'mount -t tmpfs none "$0" && exec "$@"', ROOT]
const canHide = spawnSync(HIDDEN[0] as string, [...HIDDEN.slice(1), 'true']).status === 0

describe('criteria of scanning.md', () => {
  test('rule.measuredDeployment: criterion: the frozen sample scanned again by this revision loses nothing', async () => {
    const here = place()
    const [one, two] = [join(here.dir, 'one'), join(here.dir, 'two')]
    await here.run('scan', one, '--claude', CORPUS)
    await here.run('scan', two, '--claude', CORPUS)
    const compared = await here.run('scan', 'compare', one, two, '--json')
    expect(compared.code, compared.stderr).toBe(0)
    expect(rowsOf(two)).toEqual(rowsOf(one))
  })

  test('criterion: with the source unavailable, extraction and the checks run from the delivered package, and every path resolves inside it', async () => {
    const here = place()
    const program = delivered()
    const sample = join(here.dir, 'sample')
    cpSync(CORPUS, sample, { recursive: true })
    expect(readFileSync(program, 'utf8')).not.toContain(ROOT)
    const under = canHide ? HIDDEN : []
    const run = (...args: string[]): Promise<Outcome> => here.runWith({ program, under }, ...args)
    const out = join(here.dir, 'out')
    mkdirSync(here.record.dir, { recursive: true })
    const scanned = await run('scan', out, '--claude', sample, '--json')
    expect(scanned.code, scanned.stderr).toBe(0)
    expect(rowsOf(out).filter(({ label }) => label === 'person').length).toBeGreaterThan(40)
    const unsettled = await run('scan', 'check', out, '--json')
    expect(unsettled.code, unsettled.stderr).toBe(4)
    await settleAll(run, out)
    const settled = await run('scan', 'check', out, '--json')
    expect(settled.code, settled.stdout).toBe(0)
    expect(statusOf(out)).toBe('complete')
    // That the source was really away: the same run does not find what lies there.
    const outside = await run('scan', join(here.dir, 'out2'), '--claude', CORPUS)
    expect(outside.code).toBe(canHide ? 1 : 0)
  })

  test('rule.completeOrLabelled: criterion: one attribution is left unresolved; the final check refuses the result, and it stays incomplete', async () => {
    const here = place()
    const out = join(here.dir, 'out')
    await here.run('scan', out, '--claude', CORPUS)
    const [left] = rowsOf(out, 'unresolved.ndjson') as [Row]
    await settleAll(here.run, out, left.id)
    const refused = await here.run('scan', 'check', out, '--json')
    expect(refused.code).toBe(4)
    const { passed, problems } = refused.json()
    expect(passed).toBe(false)
    expect(problems).toEqual([expect.stringContaining(left.id)])
    expect(statusOf(out)).toBe('incomplete')
    expect(readFileSync(join(out, 'report.md'), 'utf8').split('\n').slice(0, 5).join('\n')).toMatch(
      /incomplete/,
    )
    await here.run(
      'scan',
      'resolve',
      out,
      left.id,
      '--label',
      'launcher',
      '--reason',
      'a script of mine sent it',
    )
    expect((await here.run('scan', 'check', out)).code).toBe(0)
    expect(statusOf(out)).toBe('complete')
  })

  test('rule.personsWords: criterion: a launcher’s prompt, a peer’s message and a compaction summary; none is attributed to the person', async () => {
    const here = place()
    const sample = join(here.dir, 'sample')
    mkdirSync(sample)
    const names = ['cc-06-p-stdin', 'cc-20-peer-idle-midturn', 'cc-05-fork-interactive']
    for (const name of names) cpSync(join(CORPUS, `${name}.jsonl`), join(sample, `${name}.jsonl`))
    const out = join(here.dir, 'out')
    await here.run('scan', out, '--claude', sample)
    const labels = (kind: string) =>
      rowsOf(out)
        .filter(row => row.kind === kind)
        .map(({ label }) => label)
    expect(labels('sdk_prompt')).toEqual(['launcher'])
    expect(new Set([...labels('peer_idle'), ...labels('peer_mid_turn')])).toEqual(new Set(['peer']))
    expect(labels('compact_summary')).toEqual(['notice'])
  })
})

/** Says of every direction that it is open, and of everything unresolved, but one, that a launcher wrote it. */
async function settleAll(
  run: (...args: string[]) => Promise<Outcome>,
  out: string,
  but?: string,
): Promise<void> {
  const unresolved = rowsOf(out, 'unresolved.ndjson')
    .map(({ id }) => id)
    .filter(id => id !== but)
  const resolved = await run(
    'scan',
    'resolve',
    out,
    ...unresolved,
    '--label',
    'launcher',
    '--reason',
    'made for a test',
  )
  expect(resolved.code, resolved.stderr).toBe(0)
  const directions = rowsOf(out, 'directions.ndjson').map(({ id }) => id)
  const traced = await run(
    'scan',
    'trace',
    out,
    ...directions,
    '--outcome',
    'open',
    '--evidence',
    'nobody looked',
  )
  expect(traced.code, traced.stderr).toBe(0)
}
