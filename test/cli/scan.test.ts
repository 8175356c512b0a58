import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { controlsIn, hostileText } from '../support/control-characters.ts'
import { type Place, place, sharedPlace } from '../support/coord.ts'
import { filesIn } from '../support/files.ts'
import { at } from '../support/record-builder.ts'
import { session, transcriptBuilder } from '../support/sample-transcripts.ts'
import { withoutRootRights } from '../support/without-root-rights.ts'

const corpus = resolve(import.meta.dirname, '../corpus')
const root = resolve(import.meta.dirname, '../..')

/** A place with a record and with transcripts where Claude Code keeps them. */
function withTranscripts() {
  const here = place()
  here.record.start(session(1), at(0))
  const transcripts = transcriptBuilder(join(here.dir, 'home', '.claude'))
  return { here, transcripts, out: join(here.dir, 'out') }
}

async function idsOf(here: Place, relation: string, filter: string): Promise<string[]> {
  const { stdout } = await here.run('query', relation, filter, '--select', 'id', '--format', 'ndjson')
  return stdout
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line).id)
}

/** What a reading session does, with `coord` alone. */
async function settleAll(here: Place, out: string): Promise<void> {
  const open = await idsOf(here, 'scanned_messages', "label = 'unresolved'")
  if (open.length > 0)
    expect(
      (await here.run('scan', 'resolve', out, ...open, '--label', 'launcher', '--reason', 'x')).code,
    ).toBe(0)
  const directions = await idsOf(here, 'directions', 'outcome is null')
  if (directions.length > 0)
    expect(
      (await here.run('scan', 'trace', out, ...directions, '--outcome', 'open', '--evidence', 'x')).code,
    ).toBe(0)
}

describe('coord scan OUT', () => {
  test('scans the transcripts of this home, says what it found, and coord query answers', async () => {
    const { here, transcripts, out } = withTranscripts()
    transcripts.typed(session(1), 'mend the fence', at(1))
    transcripts.sdk(session(2), 'nightly', at(2))
    const scanned = await here.run('scan', out, '--json')
    expect(scanned.code, scanned.stderr).toBe(0)
    expect(scanned.json()).toMatchObject({
      out,
      status: 'incomplete',
      tool: { name: 'coord', version: expect.any(String), revision: expect.stringMatching(/\S/) },
      sources: 2,
      messages: { person: 1, launcher: 1, peer: 0, notice: 0, unresolved: 0 },
      directions: 1,
      decisions: { kept: 0, orphaned: [], unneeded: [] },
      read: { read: 2, kept: 0 },
    })
    const { json } = await here.run('query', 'directions', '--json')
    expect(json().rows).toMatchObject([
      { words: 'mend the fence', session_id: session(1), role: 'top', chain: session(1), scan: out },
    ])
    expect((await here.run('query', 'sources', '--count')).stdout).toBe('2\n')
  })

  test('rule.callerPlacesResult: writes where it is told, seen from the current folder, and nowhere else of the caller’s', async () => {
    const { here, transcripts } = withTranscripts()
    transcripts.typed(session(1), 'mend the fence', at(1))
    const cwd = join(here.dir, 'work')
    mkdirSync(cwd)
    const before = { record: filesIn(here.record.dir), transcripts: filesIn(transcripts.dir) }
    expect((await here.runWith({ cwd }, 'scan', './check')).code).toBe(0)
    expect(readdirSync(cwd)).toEqual(['check'])
    expect({ record: filesIn(here.record.dir), transcripts: filesIn(transcripts.dir) }).toEqual(before)
    expect((await here.runWith({ cwd }, 'scan', 'check', 'check', '--json')).json().passed).toBe(false)
  })

  test('one file, several folders, a period and a project', async () => {
    const { here, transcripts, out } = withTranscripts()
    const other = transcriptBuilder(join(here.dir, 'laptop'))
    transcripts.typed(session(1), 'here', at(1))
    other.typed(session(2), 'early there', at(2))
    other.typed(session(2), 'late there', at(900))
    const words = async (...args: string[]) => {
      const { code, stderr } = await here.run('scan', out, ...args)
      expect(code, stderr).toBe(0)
      return (await here.run('query', 'directions', '--json'))
        .json()
        .rows.map((row: { words: string }) => row.words)
    }
    expect(await words('--claude', transcripts.file(session(1)))).toEqual(['here'])
    expect(await words('--claude', transcripts.dir, other.dir)).toEqual(['here', 'early there', 'late there'])
    expect(await words('--claude', other.dir, '--since', at(100))).toEqual(['late there'])
    expect(await words('--claude', other.dir, '--until', at(100))).toEqual(['early there'])
    expect(await words('--claude', other.dir, '--project', '/home/dev/other')).toEqual([])
  })

  test('a second scan of unchanged transcripts reads none of them again', async () => {
    const { here, transcripts, out } = withTranscripts()
    transcripts.typed(session(1), 'mend the fence', at(1))
    await here.run('scan', out)
    // A transcript that has just changed may change again within the same tick of the clock.
    await new Promise(done => setTimeout(done, 2_200))
    await here.run('scan', out)
    const { json } = await here.run('scan', out, '--json')
    expect(json().read).toEqual({ kept: 1, resumed: 0, read: 0 })
  })

  test('a transcript that may not be read is an exclusion, and the answer is partial', async () => {
    const { here, transcripts, out } = withTranscripts()
    transcripts.typed(session(1), 'mend the fence', at(1))
    transcripts.typed(session(2), 'secret', at(2))
    chmodSync(transcripts.file(session(2)), 0)
    const { code, json } = await here.runWith({ under: withoutRootRights }, 'scan', out, '--json')
    expect([code, json().sources, json().exclusions]).toEqual([8, 1, 1])
    const checked = await here.runWith({ under: withoutRootRights }, 'scan', 'check', out, '--json')
    expect(checked.json().notes).toEqual([expect.stringMatching(/is excluded: cannot be read: EACCES/)])
  })

  test('a period that ends before it begins is wrong usage', async () => {
    const { here, out } = withTranscripts()
    const { code, error } = await here.run('scan', out, '--since', '1d', '--until', '2d', '--json')
    expect([code, error().kind]).toEqual([2, 'usage'])
    expect(error().message).toContain('1d')
  })

  test('a result that is reached by two names is one', async () => {
    const { here, transcripts, out } = withTranscripts()
    transcripts.typed(session(1), 'mend the fence', at(1))
    mkdirSync(out)
    symlinkSync(out, join(here.dir, 'link'))
    for (const name of [join(here.dir, 'link'), out]) expect((await here.run('scan', name)).code).toBe(0)
    expect((await here.run('scan', 'check', join(here.dir, 'link'))).code).toBe(4)
    expect((await here.run('query', 'results', '--count')).stdout).toBe('1\n')
    expect((await here.run('query', 'directions', '--count')).stdout).toBe('1\n')
  })

  test('where there is no room the error names the file, nothing is lost, and nobody is held up', async () => {
    const { here, transcripts, out } = withTranscripts()
    transcripts.typed(session(1), 'mend the fence '.repeat(2_000), at(1))
    await here.run('scan', out)
    const [id = ''] = await idsOf(here, 'directions', 'outcome is null')
    const before = filesIn(out)
    const trace = ['scan', 'trace', out, id, '--outcome', 'done', '--evidence', 'x', '--json']
    for (const blocks of [0, 8]) {
      const under = ['sh', '-c', `ulimit -f ${blocks}; exec "$@"`, 'sh']
      const { code, error } = await here.runWith({ under }, ...trace)
      expect([code, error().kind]).toEqual([3, 'environment'])
      expect(error().path).toMatch(/\/out\/(\.changing|directions\.ndjson)$/)
      expect(error().message).toContain(error().path)
    }
    expect(filesIn(out)).toMatchObject({ 'directions.ndjson': before['directions.ndjson'] })
    expect((await here.run(...trace)).code).toBe(0)
  })

  test('40,000 messages need less than 85 MB of JavaScript', async () => {
    const { here, transcripts, out } = withTranscripts()
    for (let from = 0; from < 40_000; from += 1_000) {
      const rows = Array.from({ length: 1_000 }, (_, n) => {
        const uuid = `22222222-0000-4000-8000-${String(from + n).padStart(12, '0')}`
        const message = { role: 'user', content: `please do the thing number ${from + n} with care` }
        const common = {
          sessionId: session(from),
          cwd: '/home/dev/shop',
          timestamp: at(from + n),
          version: '2.1.332',
        }
        const human = {
          origin: { kind: 'human' },
          promptSource: 'typed',
          turnOrigin: 'human',
          entrypoint: 'cli',
        }
        return JSON.stringify({ type: 'user', uuid, isSidechain: false, message, ...common, ...human })
      })
      transcripts.raw(session(from), `${rows.join('\n')}\n`)
    }
    const env = { NODE_OPTIONS: '--max-old-space-size=85' }
    const { code, stderr, json } = await here.runWith({ env }, 'scan', out, '--json')
    expect(code, stderr).toBe(0)
    expect(json().messages.person).toBe(40_000)
  })

  test('without a record it scans all the same, and coord query answers from the scan and says so', async () => {
    const { here, transcripts, out } = withTranscripts()
    transcripts.typed(session(1), 'mend the fence', at(1))
    renameSync(here.record.dir, `${here.record.dir}.away`)
    const { code, stderr } = await here.run('scan', out)
    expect([code, stderr]).toEqual([0, expect.stringContaining('there is no record at')])
    const asked = await here.run('query', 'directions', 'outcome is null', '--json')
    expect([asked.code, asked.stderr]).toEqual([0, expect.stringContaining('there is no record at')])
    expect(asked.json().rows).toMatchObject([{ words: 'mend the fence', role: null, chain: null }])
    expect((await here.run('scan', out, '--json')).code).toBe(0)
    expect(JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).options.recordDir).toBeNull()
    renameSync(`${here.record.dir}.away`, here.record.dir)
    expect(await idsOf(here, 'directions', 'outcome is null')).toHaveLength(1)
  })

  test('a record that was there and is gone is an error, whatever scans are known', async () => {
    const { here, transcripts, out } = withTranscripts()
    transcripts.typed(session(1), 'mend the fence', at(1))
    await here.run('scan', out)
    renameSync(here.record.dir, `${here.record.dir}.away`)
    const asked = await here.run('query', 'entries', '--json')
    expect([asked.code, asked.error().kind]).toEqual([1, 'record'])
    renameSync(`${here.record.dir}.away`, here.record.dir)
    expect((await here.run('query', 'entries', '--no-refresh', '--count')).stdout).toBe('1\n')
  })

  test('words act on no terminal, wherever they are shown', async () => {
    const { here, transcripts, out } = withTranscripts()
    transcripts.typed(session(1), hostileText, at(1), { cwd: `/x${hostileText}` })
    await here.run('scan', out)
    for (const args of [
      ['scan', out],
      ['query', 'directions'],
      ['query', 'scanned_messages', '--json'],
      ['scan', 'prompt', out],
      ['scan', 'check', out],
    ]) {
      const { stdout, stderr } = await here.run(...args)
      expect(controlsIn(stdout + stderr), args.join(' ')).toEqual([])
    }
  })
})

test('directions of the last week without an outcome, by chain, is one query', async () => {
  const { here, transcripts, out } = withTranscripts()
  const now = new Date()
  const ago = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString()
  here.record.chain(session(2), session(1), 'the tests', at(1))
  transcripts.typed(session(2), 'for the lead', ago(1))
  transcripts.typed(session(1), 'for the top', ago(2))
  transcripts.typed(session(1), 'long ago', ago(20))
  await here.run('scan', out)
  const query = ['query', 'directions', 'at > 7d and outcome is null', '--order', 'chain']
  const { json } = await here.run(...query, '--json')
  expect(json().rows.map((row: { words: string; chain: string }) => [row.words, row.chain])).toEqual([
    ['for the top', session(1)],
    ['for the lead', session(1)],
  ])
  for (const text of [
    (await here.run('query', '--help')).stdout,
    readFileSync(join(root, 'README.md'), 'utf8'),
  ])
    expect(text).toContain('coord query directions "at > 7d and outcome is null" --order chain')
})

describe('the corpus of real transcripts, with coord alone', () => {
  test('rule.completeOrLabelled: the check refuses it until everything is settled, and then it is complete', async () => {
    const here = sharedFor(place())
    const out = join(here.dir, 'out')
    expect((await here.run('scan', out, '--claude', corpus)).code).toBe(0)
    const refused = await here.run('scan', 'check', out, '--json')
    expect(refused.code).toBe(4)
    expect(Object.keys(refused.json()).sort()).toEqual(['notes', 'passed', 'problems'])
    expect(refused.json().passed).toBe(false)
    await settleAll(here, out)
    const { code, json } = await here.run('scan', 'check', out, '--json')
    expect([code, json().problems]).toEqual([0, []])
    expect(JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).status).toBe('complete')
    const { stdout } = await here.run('query', 'results', '--format', 'ndjson')
    expect(JSON.parse(stdout)).toMatchObject({ path: out, state: 'read', status: 'complete' })
  })
})

function sharedFor(here: Place): Place {
  here.record.start('s', at(0))
  return here
}

describe('rule.measuredDeployment: coord scan compare', () => {
  test('exit 4 on a loss, 0 where it is accepted with a reason, which is recorded', async () => {
    const { here, transcripts } = withTranscripts()
    transcripts.typed(session(1), 'mend the fence', at(1))
    const [older, newer] = [join(here.dir, 'old'), join(here.dir, 'new')]
    await here.run('scan', older)
    await here.run('scan', newer)
    const same = await here.run('scan', 'compare', older, newer, '--json')
    expect(same.code).toBe(0)
    expect(same.json()).toMatchObject({
      passed: true,
      old: { path: older, revision: expect.stringMatching(/\S/) },
      new: { path: newer, revision: expect.stringMatching(/\S/) },
      sampleSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      losses: [],
      gains: [],
    })
    writeFileSync(join(newer, 'messages.ndjson'), '')
    writeFileSync(join(newer, 'directions.ndjson'), '')
    const refused = await here.run('scan', 'compare', older, newer)
    expect(refused.code).toBe(4)
    expect(refused.stdout).toMatch(/loss: .*: the message \(person\) is missing/)
    expect((await here.run('scan', 'compare', older, newer, '--accept-loss', ' ')).code).toBe(2)
    const accepted = await here.run('scan', 'compare', older, newer, '--accept-loss', 'no fences any more')
    expect(accepted.code).toBe(0)
    const manifest = JSON.parse(readFileSync(join(newer, 'manifest.json'), 'utf8'))
    expect(manifest.comparisons.at(-1)).toMatchObject({ losses: 1, acceptedLoss: 'no fences any more' })
  })
})

test('rule.namedFilter: coord scan prompt prints what prompt.md holds', async () => {
  const { here, transcripts, out } = withTranscripts()
  transcripts.typed(session(1), 'mend the fence', at(1))
  transcripts.sdk(session(2), 'nightly', at(2))
  await here.run('scan', out)
  const { code, stdout } = await here.run('scan', 'prompt', out)
  expect([code, stdout]).toEqual([0, readFileSync(join(out, 'prompt.md'), 'utf8')])
  expect(stdout).toContain('What is filtered out')
  expect(stdout).toContain('launcher: sdk_prompt — 1')
  expect((await here.run('scan', 'prompt', out, '--json')).json()).toEqual({ out, prompt: stdout })
})

test('a result that came from elsewhere is known once it is checked', async () => {
  const { here, transcripts, out } = withTranscripts()
  transcripts.typed(session(1), 'mend the fence', at(1))
  await here.run('scan', out)
  const moved = join(here.dir, 'moved')
  renameSync(out, moved)
  const gone = await here.run('query', 'directions', '--count')
  expect([gone.stdout, gone.stderr]).toEqual(['0\n', expect.stringContaining(`${out} is gone`)])
  await here.run('scan', 'check', moved)
  const { json } = await here.run('query', 'results', '--order', 'state', '--json')
  expect(json().rows.map((row: { path: string; state: string }) => [row.path, row.state])).toEqual([
    [out, 'gone'],
    [moved, 'read'],
  ])
})

describe('wrong use and what cannot be done', () => {
  const here = sharedPlace()
  here.record.start('s', at(0))
  const out = join(here.dir, 'out')
  const transcripts = transcriptBuilder(join(here.dir, 'claude'))
  transcripts.typed(session(1), 'mend the fence', at(1))
  transcripts.background(session(2), 'at night', at(2))
  const scanned = here.run('scan', out, '--claude', transcripts.dir)
  const made = async () => expect((await scanned).code).toBe(0)

  test.each([
    [2, ['scan'], 'out'],
    [2, ['scan', 'check'], 'out'],
    [2, ['scan', ''], 'missing'],
    [2, ['scan', 'a', 'b'], 'too many'],
    [2, ['scan', join(here.record.dir, 'out')], 'in the record'],
    [2, ['scan', out, '--since', 'soon'], '--since'],
    [2, ['scan', out, '--claude', ''], '--claude'],
    [1, ['scan', join(here.dir, 'out2'), '--claude', '/nowhere/claude'], '/nowhere/claude'],
    [1, ['scan', join(here.dir, 'claude'), '--claude', transcripts.dir], 'no result of a scan'],
    [1, ['scan', join(here.dir, 'out3')], 'no transcripts'],
    [1, ['scan', 'check', join(here.dir, 'nothing')], 'no result of a scan'],
    [1, ['scan', 'check', transcripts.file(session(1))], 'no result of a scan'],
    [1, ['scan', 'compare', out, join(here.dir, 'nothing')], 'no result of a scan'],
    [1, ['scan', 'trace', here.dir, 'x', '--outcome', 'done', '--evidence', 'x'], 'no result of a scan'],
    [1, ['scan', 'resolve', here.dir, 'x', '--label', 'peer', '--reason', 'x'], 'no result of a scan'],
    [1, ['scan', 'prompt', join(here.dir, 'nothing')], 'no result of a scan'],
    [2, ['scan', 'resolve', out, 'x', '--label', 'boss', '--reason', 'x'], 'boss'],
    [2, ['scan', 'resolve', out, 'x', '--label', 'peer'], '--reason'],
    [2, ['scan', 'resolve', out, 'x', '--label', 'peer', '--reason', ' '], '--reason'],
    [2, ['scan', 'trace', out, 'x', '--outcome', 'maybe', '--evidence', 'x'], 'maybe'],
    [1, ['scan', 'trace', out, 'zzz', '--outcome', 'done', '--evidence', 'x'], 'zzz'],
    [1, ['scan', 'resolve', out, 'zzz', '--label', 'peer', '--reason', 'x'], 'zzz'],
  ])('exit %i: coord %j', async (code, args, what) => {
    await made()
    const outcome = await here.run(...args, '--json')
    expect(outcome.code, outcome.stderr).toBe(code)
    expect(outcome.stdout).toBe('')
    expect(outcome.error().message).toContain(what)
    if (code === 1) expect(outcome.error().hint).toMatch(/\S/)
  })

  test('an id may be given by its beginning, and a decision is told', async () => {
    await made()
    const [id = ''] = await idsOf(here, 'directions', 'outcome is null')
    const { json } = await here.run(
      'scan',
      'trace',
      out,
      id.slice(0, 6),
      '--outcome',
      'done',
      '--evidence',
      'x',
      '--json',
    )
    expect(json()).toEqual({ out, ids: [id], as: 'done', status: 'incomplete', unresolved: 1, directions: 1 })
    const text = await here.run('scan', 'trace', out, id, '--outcome', 'open', '--evidence', 'x')
    expect(text.stdout).toContain(`${id}: open`)
  })
})
