import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { queryCommand } from '../../../src/cli/commands/query.ts'
import { scanCommand } from '../../../src/cli/commands/scan.ts'
import { at } from '../../support/record-builder.ts'
import { session, transcriptBuilder } from '../../support/sample-transcripts.ts'
import { commandHome } from '../support/in-process.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

/** A home with a record and with transcripts where Claude Code keeps them. */
function home() {
  const here = commandHome()
  here.record.start(session(1), at(0))
  const transcripts = transcriptBuilder(join(here.home, '.claude'))
  const out = join(here.dir, 'out')
  const scan = (...args: string[]) => here.run(scanCommand, ...args)
  const manifest = (folder = out) => JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  return { ...here, transcripts, out, scan, manifest }
}

describe('coord scan', () => {
  it('scans this home, says what it found, and makes the result known', async () => {
    const { transcripts, scan, out, run } = home()
    transcripts.typed(session(1), 'mend the fence', at(1))
    transcripts.sdk(session(2), 'nightly', at(2))
    const { code, json } = await scan(out, '--json')
    expect(code).toBe(0)
    expect(json()).toMatchObject({
      ...{ out, status: 'incomplete', sources: 2, directions: 1, elapsedMs: expect.any(Number) },
      ...{ read: { read: 2, kept: 0, resumed: 0 }, tool: { name: 'coord' } },
    })
    expect((await scan(out, '--json')).json().read).toMatchObject({ read: 0 })
    const words = await scan(out)
    expect(words.printed).toContain(
      `${out}: incomplete until coord scan check passes\nread       2 transcripts, `,
    )
    expect(words.printed).toContain('\ndirections 1\n')
    expect((await run(queryCommand, 'directions', '--count')).printed).toBe('1\n')
  })

  it.each([
    ['--since', at(5), ['late']],
    ['--since', at(6), []],
    ['--until', at(1), ['early']],
    ['--until', at(0), []],
    ['--since', '2026-11-01', ['early', 'late']],
    ['--until', '2026-11-01', ['early', 'late']],
    ['--until', '2026-10-30', []],
    ['--since', '2026-11-03', []],
  ])('%s %s', async (option, time, words) => {
    const { transcripts, scan, out, run } = home()
    transcripts.typed(session(1), 'early', at(1))
    transcripts.typed(session(1), 'late', at(5))
    await scan(out, option, time)
    const { rows } = (
      await run(queryCommand, 'directions', '--select', 'words', '--order', 'at', '--json')
    ).json()
    expect(rows.map((row: { words: string }) => row.words)).toEqual(words)
  })

  it.each([
    ['--since', 'someday'],
    ['--until', ''],
    ['--since', '999999999w'],
    ['--since', at(2), '--until', at(1)],
    ['--project', ''],
    ['--claude', ''],
    ['--codex', ''],
  ])('%s %s is wrong usage, and nothing is written', async (...args) => {
    const { scan, out } = home()
    expect((await scan(out, ...args)).error).toMatchObject({ name: 'Problem', kind: 'usage' })
    expect(existsSync(out)).toBe(false)
  })

  it('a period of one moment is one', async () => {
    const { transcripts, scan, out } = home()
    transcripts.typed(session(1), 'now', at(1))
    expect((await scan(out, '--since', at(1), '--until', at(1), '--json')).json().directions).toBe(1)
  })

  it('a result in the record is refused, and so is one by a link', async () => {
    const { scan, record, dir } = home()
    symlinkSync(record.dir, join(dir, 'link'))
    for (const out of [record.dir, join(record.dir, 'out'), join(dir, 'link', 'out')])
      expect((await scan(out)).error).toMatchObject({
        kind: 'usage',
        message: expect.stringContaining('lies in the record'),
      })
    expect((await scan('')).error).toMatchObject({ kind: 'usage' })
  })

  it('folders that are named go before those of the home, and one of the two will do', async () => {
    const { scan, out, dir, env, manifest, home: own } = home()
    const other = transcriptBuilder(join(dir, 'other'))
    other.typed(session(3), 'elsewhere', at(1))
    await scan(out, '--claude', join(dir, 'other'))
    expect(manifest().options).toMatchObject({ claude: [join(dir, 'other')], codex: [] })
    await scan(join(dir, 'second'))
    expect(manifest(join(dir, 'second')).options).toMatchObject({ claude: [join(own, '.claude')], codex: [] })
    mkdirSync(join(dir, 'codex'))
    env.CODEX_HOME = join(dir, 'codex')
    await scan(join(dir, 'third'))
    expect(manifest(join(dir, 'third')).options).toMatchObject({
      claude: [join(own, '.claude')],
      codex: [join(dir, 'codex')],
    })
  })

  it('where there are no transcripts it says where it looked', async () => {
    const { scan, out, home: own } = home()
    rmSync(join(own, '.claude'), { recursive: true })
    const { error } = await scan(out)
    expect(error).toMatchObject({ kind: 'not-found', hint: expect.stringContaining('--codex') })
    for (const name of ['.claude', '.codex']) expect(error.message).toContain(join(own, name))
  })

  it('without a record it scans all the same, and says none in the result', async () => {
    const { transcripts, scan, out, record, manifest } = home()
    transcripts.typed(session(1), 'x', at(1))
    rmSync(record.dir, { recursive: true })
    const { code } = await scan(out)
    expect([code, manifest().options.recordDir]).toEqual([0, null])
    expect(existsSync(record.dir)).toBe(false)
    const again = home()
    await again.scan(again.out)
    expect(again.manifest().options.recordDir).toBe(again.record.dir)
  })
})

describe('what is done with a result', () => {
  async function scanned() {
    const here = home()
    here.transcripts.typed(session(1), 'mend the fence', at(1))
    here.transcripts.row(session(1), {
      type: 'user',
      uuid: 'u',
      message: { role: 'user', content: 'who said it' },
      timestamp: at(2),
      sessionId: session(1),
    })
    await here.scan(here.out)
    const ids = async (relation: string, filter: string) =>
      (await here.run(queryCommand, relation, filter, '--select', 'id', '--json'))
        .json()
        .rows.map((row: { id: string }) => row.id)
    return { ...here, ids }
  }

  it('trace and resolve take decisions in any letter case, the check passes when all is settled', async () => {
    const { scan, out, ids } = await scanned()
    const refused = await scan('check', out)
    expect([refused.code, refused.printed]).toEqual([
      4,
      expect.stringMatching(/problem: .*\n.*: incomplete, \d+ problems?\n$/s),
    ])
    const unresolved = await ids('scanned_messages', "label = 'unresolved'")
    expect(unresolved.length).toBeGreaterThan(0)
    const resolved = await scan(
      'resolve',
      out,
      ...unresolved,
      '--label',
      'LAUNCHER',
      '--reason',
      'a script',
      '--json',
    )
    expect([resolved.code, resolved.json()]).toMatchObject([
      0,
      { ids: unresolved, as: 'launcher', unresolved: 0, directions: 1 },
    ])
    const directions = await ids('directions', 'outcome is null')
    const traced = await scan('trace', out, ...directions, '--outcome', 'Done', '--evidence', 'a commit')
    expect([traced.code, traced.printed]).toEqual([
      0,
      `${directions[0]}: done\n${out}: incomplete, 0 unresolved, 1 directions\n`,
    ])
    const passed = await scan('check', out)
    expect([passed.code, passed.printed.split('\n').at(-2)]).toEqual([0, `${out}: complete`])
    expect((await scan('check', out, '--json')).json()).toMatchObject({ passed: true, problems: [] })
  })

  it.each([
    ['resolve', '--label', 'nobody', '--reason', 'x'],
    ['resolve', '--label', 'launcher', '--reason', ' '],
    ['trace', '--outcome', 'perhaps', '--evidence', 'x'],
    ['trace', '--outcome', 'done', '--evidence', ''],
  ])('%s %s %s %s %j is wrong usage, and nothing is decided', async (verb, ...args) => {
    const { scan, out } = await scanned()
    const before = existsSync(join(out, 'decisions.ndjson'))
      ? readFileSync(join(out, 'decisions.ndjson'), 'utf8')
      : null
    expect((await scan(verb, out, 'abc', ...args)).error).toMatchObject({ name: 'Problem', kind: 'usage' })
    const after = existsSync(join(out, 'decisions.ndjson'))
      ? readFileSync(join(out, 'decisions.ndjson'), 'utf8')
      : null
    expect(after).toBe(before)
  })

  it('prompt prints the prompt, compare the losses: refused unless accepted with a reason', async () => {
    const { scan, out, dir } = await scanned()
    expect((await scan('prompt', out)).printed).toBe(readFileSync(join(out, 'prompt.md'), 'utf8'))
    const newer = join(dir, 'newer')
    await scan(newer)
    const same = await scan('compare', out, newer)
    expect([same.code, same.printed]).toEqual([0, expect.stringContaining('0 losses, 0 gains, 0 changes\n')])
    writeFileSync(join(newer, 'messages.ndjson'), '')
    writeFileSync(join(newer, 'directions.ndjson'), '')
    const lost = await scan('compare', out, newer)
    expect([lost.code, lost.told]).toEqual([4, [expect.stringContaining('--accept-loss')]])
    expect(lost.printed).toMatch(/^loss: /m)
    expect((await scan('compare', out, newer, '--accept-loss', ' ')).error).toMatchObject({ kind: 'usage' })
    const accepted = await scan('compare', out, newer, '--accept-loss', 'no fences', '--json')
    expect([accepted.code, accepted.json()]).toMatchObject([0, { passed: true, acceptedLoss: 'no fences' }])
  })
})
