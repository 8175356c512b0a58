import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkResult } from '../../src/scan/check/check-result.ts'
import { FORMATS } from '../../src/scan/formats.ts'
import { resolveMessages, traceDirections } from '../../src/scan/result/decide.ts'
import { writeResult } from '../../src/scan/result/write-result.ts'
import { scanTranscripts } from '../../src/scan/scan.ts'
import type { TranscriptFormat } from '../../src/scan/transcript-format.ts'
import { rowsOf } from '../support/scanned-result.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { append, claude, codex, type Row, second, write } from '../support/transcripts.ts'
import { quillFormat } from './third-format/format.ts'

const formats: readonly TranscriptFormat[] = [...FORMATS, quillFormat]

let made = 0
const page = (text: string, more: Row = {}): Row => ({
  ...{ quill: 'page', id: `p${++made}`, notebook: 'notebook-1', folder: '/home/dev/shed', release: '3' },
  ...{ when: second(made), hand: 'person', text, ...more },
})
const row = (quill: string, more: Row = {}): Row => ({ quill, when: second(++made), ...more })

/** A home folder of each program with one transcript in it. */
function homes() {
  const dir = tempFolder()
  const quill = join(dir, 'quill')
  const notebook = write(quill, 'notebooks/one.jsonl', [
    page('mend the fence'),
    row('ran', { command: 'make fence' }),
    row('erased', { file: 'fence.txt' }),
    row('reply', { text: 'mended' }),
    row('blotted'),
    page('[[/paint|the gate]]'),
    page('count the nails', { hand: 'press' }),
    page('whose is this', { hand: 'smudge' }),
  ])
  write(quill, 'blotter.jsonl', [page('beside the notebooks')])
  write(quill, 'history.jsonl', [{ inked: 'sweep the yard', notebook: 'notebook-0', when: second(0) }])
  const one = claude()
  one.typed('in the first program')
  const other = codex()
  other.turn('user')
  other.typed('in the second program')
  write(join(dir, 'claude'), 'projects/shed/one.jsonl', one.rows)
  write(join(dir, 'codex'), 'sessions/one.jsonl', other.rows)
  const options = {
    ...{ claude: [join(dir, 'claude')], codex: [join(dir, 'codex')], quill: [quill] },
    ...{ project: null, since: null, until: null, recordDir: null },
  }
  const scan = (known: readonly TranscriptFormat[]) =>
    scanTranscripts({
      ...{ options, record: null, revision: 'test', formats: known },
      cacheDir: join(dir, 'cache'),
    })
  return { dir, notebook, options, scan, out: join(dir, 'out') }
}

async function scanned(here: ReturnType<typeof homes>) {
  const found = here.scan(formats)
  await writeResult(here.out, found, {
    ...{ options: here.options, scannedAt: new Date() },
    tool: { name: 'coord', version: '0.0.0', revision: 'test' },
  })
  return { ...rowsOf(here.out), work: found.work }
}

describe('a third format: one folder, and one line in the list', () => {
  test('its messages, what followed them, and its list of typed prompts stand in the result beside the others', async () => {
    const { messages, directions, manifest } = await scanned(homes())
    const quills = messages.filter(({ product }) => product === 'quill')
    expect(quills.map(({ label, kind, words }) => [label, kind, words])).toEqual([
      ['person', 'history_only', 'sweep the yard'],
      ['person', 'inked', 'mend the fence'],
      ['person', 'inked', '/paint the gate'],
      ['launcher', 'printed', 'count the nails'],
      ['unresolved', 'smudged', 'whose is this'],
    ])
    expect(messages.map(({ product }) => product)).toEqual(expect.arrayContaining(['claude-code', 'codex']))
    expect(directions.find(({ words }) => words === 'mend the fence')).toMatchObject({
      ...{ product: 'quill', session: 'notebook-1', cwd: '/home/dev/shed', end: 'done' },
      ...{ filesEdited: ['fence.txt'], commands: [{ command: 'make fence', exit: 0 }], lastWords: 'mended' },
    })
    expect(manifest.options.quill).toHaveLength(1)
    expect(manifest.sources.find(({ file }) => file.endsWith('notebooks/one.jsonl'))).toMatchObject({
      ...{ product: 'quill', sessions: ['notebook-1'], versions: ['3'], kind: 'transcript' },
    })
  })

  test('what it has grown by is read on from its own state', async () => {
    const here = homes()
    await scanned(here)
    append(here.notebook, [row('reply', { text: 'who knows' }), row('blotted')])
    const { unresolved, work } = await scanned(here)
    expect(work.read).toBe(0)
    expect(unresolved[0]?.trace).toMatchObject({ end: 'done', lastWords: 'who knows' })
  })

  test('the final check passes over it, and finds a form of its own', async () => {
    const here = homes()
    const { unresolved, directions } = await scanned(here)
    const nobody = { by: null, now: new Date() }
    const ids = (rows: { id: string }[]) => rows.map(({ id }) => id)
    await resolveMessages(here.out, ids(unresolved), { label: 'launcher', reason: 'x', ...nobody })
    await traceDirections(here.out, ids(directions), { outcome: 'done', evidence: 'seen', ...nobody })
    expect(await checkResult(here.out, new Date(), { formats })).toEqual({
      ...{ passed: true, problems: [], notes: [] },
    })
    const { problems } = await checkResult(here.out, new Date(), {
      formats: [...FORMATS, { ...quillFormat, typedIn: () => null }],
    })
    expect(problems).toEqual([expect.stringContaining('do not stand there')])
  })

  test.each([
    ['that says nothing of its author leaves the label', 'smudge', 'person'],
    ['that speaks for two authors takes it away', 'two', 'unresolved'],
  ])('a copy %s', (_, hand, label) => {
    const here = homes()
    const first = page('nail it')
    write(join(here.dir, 'quill'), 'notebooks/first.jsonl', [first])
    write(join(here.dir, 'quill'), 'notebooks/copy.jsonl', [{ ...first, hand }])
    const found = [...here.scan(formats).messages()].map(({ message }) => message)
    const labels = found.filter(({ words }) => words === 'nail it').map(one => one.label)
    expect(labels).toEqual([label])
  })

  test('a list without it knows nothing of it, and says what it does know', () => {
    const { exclusions, sources } = homes().scan(FORMATS)
    expect(sources.map(({ product }) => product)).toEqual(['claude-code', 'codex'])
    const reason = 'not a transcript of Claude Code or Codex'
    expect(exclusions.map(exclusion => exclusion.reason)).toEqual([reason, reason, reason])
  })

  test('no row of any format is also of another', () => {
    const [one, other] = [claude(), codex()]
    one.typed('a')
    one.reply('b')
    other.turn('user')
    other.typed('c')
    const claims = other.rows.map(each => ({ ...each, sessionId: 'x' }))
    for (const each of [...one.rows, ...other.rows, ...claims, page('d'), row('blotted')])
      expect(formats.filter(format => format.wrote(each))).toHaveLength(1)
  })
})
