import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { attributeCommand } from '../../../src/cli/commands/attribute.ts'
import { at, resolved } from '../../support/record-builder.ts'
import { commandHome } from '../support/in-process.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

const TEXT = 'read both'
const ME = '7d1f0c1e-5b0a-4c38-9f51-0d5a3b0c1a01'
const PEER = '0f3a2b1c-4d5e-4b52-9f65-6a6bf1143c1f'

function home() {
  const here = commandHome()
  here.record.start(ME, at(0))
  const file = here.record.received(ME, resolved(PEER), TEXT, at(0))
  return { ...here, file }
}

describe('what is asked about', () => {
  it.each([
    [],
    ['--text', TEXT, '--text-file', 'x'],
    ['--text', TEXT, '--entry', 'x'],
    ['--text-file', 'x', '--entry', 'x'],
    ['--text', TEXT, '--session', ''],
    ['--entry', 'x', '--session', ME],
    ['--entry', 'x', '--at', 'today'],
    ['--text', TEXT, '--at', 'someday'],
    ['--text', TEXT, '--at', ''],
    ['--text', TEXT, '--at', '999999999w'],
  ])('%j is wrong usage', async (...args) => {
    const { error, code } = await home().run(attributeCommand, ...args)
    expect(error).toMatchObject({ name: 'Problem', kind: 'usage' })
    expect(code).toBeNull()
  })

  it('an empty text is one', async () => {
    expect((await home().run(attributeCommand, '--text', '', '--json')).json()).toMatchObject({
      verdict: 'unknown',
    })
  })

  it('a file is taken byte for byte, and has to be UTF-8', async () => {
    const { dir, record, run } = home()
    const path = join(dir, 'text')
    const verdict = async () => (await run(attributeCommand, '--text-file', path, '--json')).json().verdict
    writeFileSync(path, TEXT)
    expect(await verdict()).toBe('peer')
    writeFileSync(path, `${TEXT}\n`)
    expect(await verdict()).toBe('unknown')
    record.received(ME, resolved(PEER), '\ufeffmarked', at(1))
    writeFileSync(path, '\ufeffmarked')
    expect(await verdict()).toBe('peer')
    writeFileSync(path, Buffer.from([0xff, 0xfe]))
    expect((await run(attributeCommand, '--text-file', path)).error).toMatchObject({
      ...{ kind: 'failed', path, message: expect.stringContaining('it is not UTF-8') },
    })
    expect((await run(attributeCommand, '--text-file', join(dir, 'nothing'))).error).toMatchObject({
      ...{ kind: 'failed', message: expect.stringContaining('ENOENT') },
    })
  })

  it('an entry is named as below the record, absolutely, or from the current folder', async () => {
    const { record, run, file } = home()
    for (const entry of [file, record.path(file), relative(process.cwd(), record.path(file))]) {
      const { json } = await run(attributeCommand, '--entry', entry, '--json')
      expect(json()).toMatchObject({ verdict: 'peer', evidence: 'record' })
    }
  })
})

describe('--session and --at', () => {
  const found = async (...args: string[]) =>
    (await home().run(attributeCommand, '--text', TEXT, '--json', ...args)).json().verdict === 'peer'

  it.each([
    ['2026-11-01T10:00:00.000Z', true],
    ['2026-11-01T10:10:00.000Z', true],
    ['2026-11-01T10:10:00.001Z', false],
    ['2026-11-01T09:50:00.000Z', true],
    ['2026-11-01T09:49:59.999Z', false],
    // So is what is written to the second or to the minute, from its beginning to its end.
    ['2026-11-01T10:10:00Z', true],
    ['2026-11-01T10:10:01Z', false],
    ['2026-11-01T09:50:00Z', true],
    ['2026-11-01T09:49:59Z', false],
    ['2026-11-01T10:10Z', true],
    ['2026-11-01T10:11Z', false],
    ['2026-11-01T09:50Z', true],
    ['2026-11-01T09:49Z', false],
  ])('a message of 10:00 is found at %s: %s', async (time, is) => {
    expect(await found('--at', time)).toBe(is)
  })

  it('a day is whole', async () => {
    expect(await found('--at', '2026-11-01')).toBe(true)
    expect(await found('--at', '2026-11-03')).toBe(false)
  })

  it('the session that it stands in', async () => {
    expect(await found('--session', ME)).toBe(true)
    const { error } = await home().run(attributeCommand, '--text', TEXT, '--session', ME.slice(0, 8))
    expect(error).toMatchObject({ name: 'Problem' })
    expect(
      (await home().run(attributeCommand, '--text', TEXT, '--session', PEER, '--json')).json().verdict,
    ).toBe('unknown')
  })
})

describe('for people', () => {
  it('verdict, evidence, and each candidate with its way and its file', async () => {
    const { run, record, file } = home()
    const sent = record.sent(PEER, { as: 'x\u001b' }, 'other', at(5))
    expect((await run(attributeCommand, '--text', TEXT, '--utc')).printed).toBe(
      `peer (evidence: record)\n  2026-11-01 10:00:00Z  received by ${ME} from ${PEER}  ${file}\n`,
    )
    expect((await run(attributeCommand, '--text', 'other', '--utc')).printed).toContain(
      `sent by ${PEER} to x\\x1b  ${sent}\n`,
    )
    expect((await run(attributeCommand, '--text', 'nothing')).printed).toBe('unknown (evidence: none)\n')
  })

  it('is partial where something could not be read', async () => {
    const { run, record } = home()
    record.raw(ME, '2026-11-01T100009.000Z-torn.json', '{')
    expect((await run(attributeCommand, '--text', TEXT)).code).toBe(8)
    expect((await run(attributeCommand, '--text', TEXT, '--json')).code).toBe(8)
  })
})
