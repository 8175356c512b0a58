import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { chainTree } from '../../src/chain/chain-tree.ts'
import type { Evidence } from '../../src/chain/evidence.ts'
import { sessionFacts } from '../../src/chain/session-facts.ts'
import { checkEntry, type MessageEntry } from '../../src/record/entry.ts'
import { isJoinNotice } from '../../src/record/join-notice.ts'
import { sampleEntries } from '../../src/sample/sample-entries.ts'
import { writeSampleRecord } from '../../src/sample/sample-record.ts'
import { filesIn } from '../support/files.ts'
import { tempFolder } from '../support/temp-folder.ts'

const messages = sampleEntries.filter((one): one is MessageEntry => one.kind === 'message')

describe('the sample record is one that sessions could have written', () => {
  it('holds valid entries in the order of their times, every session beginning with its start', () => {
    const times = sampleEntries.map(({ at }) => at)
    expect(times).toEqual(times.toSorted())
    expect(new Set(times).size).toBe(times.length)
    const begun = new Map<string, string>()
    for (const entry of sampleEntries) {
      expect(checkEntry(entry)).toEqual({ entry })
      if (entry.kind === 'start') begun.set(entry.sessionId, entry.cwd)
      // A session stays in the folder that it began in.
      expect(begun.get(entry.sessionId)).toBe(entry.cwd)
    }
    expect(sampleEntries.filter(({ kind }) => kind === 'start')).toHaveLength(begun.size)
  })

  it('has for each queued message to a session the one that it received a moment later, and no other', () => {
    const sent = messages.filter(one => one.side === 'sent' && one.isQueued && one.peer.sessionId)
    const received = messages.filter(one => one.side === 'received' && one.peer.sessionId)
    expect(received).toHaveLength(sent.length)
    for (const one of sent) {
      const arrived = received.filter(other => {
        const delay = Date.parse(other.at) - Date.parse(one.at)
        const isBetweenThem = other.sessionId === one.peer.sessionId && other.peer.sessionId === one.sessionId
        return isBetweenThem && other.text === one.text && delay > 0 && delay < 1_000
      })
      expect(arrived, `${one.at}`).toHaveLength(1)
    }
  })

  it('has the envelope of each delivery name its sender', () => {
    for (const one of messages) {
      if (one.side !== 'received') continue
      expect(one.envelope.before).toContain(` from="${one.peer.as}" `)
      expect(one.envelope.before.endsWith('>\n')).toBe(true)
      expect(one.envelope.after).toBe('\n</cross-session-message>')
    }
  })

  it('shows a top with two leads and one below them, a lead of another machine, a report, a refusal and a stranger', () => {
    const facts = [...new Set(sampleEntries.map(({ sessionId }) => sessionId))].flatMap(id => {
      const own = sampleEntries.filter(({ sessionId }) => sessionId === id)
      return (
        sessionFacts(
          id,
          own.map((entry, index) => ({ ...entry, name: `${index}` }) as Evidence),
        ) ?? []
      )
    })
    const tree = chainTree(facts)
    const form = (nodes: typeof tree.chains): unknown[] =>
      nodes.map(({ role, part, sentParentSinceJoin, children }) => [
        ...[role, part, sentParentSinceJoin],
        form(children),
      ])
    expect(form(tree.chains)).toEqual([
      [
        ...['top', null, null],
        [
          [
            ...['lead', 'the new parser, until its tests pass', 'yes'],
            [['lead', 'fuzz the parser for a night', 'no', []]],
          ],
          ['lead', 'the manual for the new format', 'no', []],
        ],
      ],
      ['boundary', null, null, [['lead', 'the Windows build', 'no', []]]],
    ])
    expect(tree.cycles).toEqual([])
    const refused = messages.filter(one => one.side === 'sent' && !one.isQueued)
    expect(refused).toHaveLength(1)
    expect(refused[0]).toMatchObject({ reason: expect.stringMatching(/\S/) })
    const strangers = messages.filter(one => one.side === 'received' && one.peer.sessionId === undefined)
    expect(strangers).toHaveLength(1)
    const inbound = sampleEntries.flatMap(one => (one.kind === 'start' ? [one.inbound] : []))
    expect(inbound.toSorted()).toEqual(['accept', 'accept', 'accept', 'accept', 'hold'])
  })

  it('has a notice for every join, sent right after it to the parent', () => {
    const joins = sampleEntries.filter(one => one.kind === 'chain')
    expect(joins).toHaveLength(4)
    for (const join of joins) {
      const notices = messages.filter(one => one.side === 'sent' && isJoinNotice(one, join))
      expect(notices.map(({ sessionId }) => sessionId)).toEqual([join.sessionId])
      const [notice] = notices as [MessageEntry]
      expect(Date.parse(notice.at) - Date.parse(join.at)).toBeGreaterThan(0)
      expect([notice.peer.sessionId, notice.peer.as]).toContain(join.parent)
      expect(join.brief).toMatch(/^briefs\//)
    }
  })
})

describe('writing it', () => {
  it('makes the folder, writes each entry once into its session’s folder, private to the user', async () => {
    const dir = join(tempFolder(), 'new', 'sample')
    expect(await writeSampleRecord(dir)).toBe(sampleEntries.length)
    const files = filesIn(dir)
    expect(Object.keys(files)).toHaveLength(sampleEntries.length)
    const read = Object.entries(files).map(([path, text]) => [
      path.split('/')[0],
      JSON.parse(Buffer.from(text, 'latin1').toString()),
    ])
    for (const [folder, entry] of read) expect(folder).toBe(entry.sessionId)
    const byTime = read.map(([, entry]) => entry).toSorted((a, b) => (a.at < b.at ? -1 : 1))
    expect(byTime).toEqual(sampleEntries)
    for (const path of Object.keys(files)) expect(statSync(join(dir, path)).mode & 0o077).toBe(0)
    // Each session counts its own entries.
    for (const session of new Set(Object.keys(files).map(path => path.split('/')[0]))) {
      const names = Object.keys(files)
        .filter(path => path.startsWith(`${session}/`))
        .toSorted()
      expect(names.map(name => Number(/-(\d{6})\.json$/.exec(name)?.[1]))).toEqual(
        names.map((_, at) => at + 1),
      )
    }
  })

  it.each(['a file', 'a hidden file', 'a folder'])('leaves a folder alone that holds %s', async what => {
    const dir = tempFolder()
    if (what === 'a folder') mkdirSync(join(dir, 'x'))
    else writeFileSync(join(dir, what === 'a file' ? 'x' : '.x'), 'mine')
    const before = filesIn(dir)
    await expect(writeSampleRecord(dir)).rejects.toMatchObject({ name: 'Problem', kind: 'failed', path: dir })
    expect(filesIn(dir)).toEqual(before)
  })

  it('a folder that cannot be made is a problem of the environment', async () => {
    const file = join(tempFolder(), 'file')
    writeFileSync(file, '')
    const dir = join(file, 'sample')
    await expect(writeSampleRecord(dir)).rejects.toMatchObject({
      ...{ name: 'Problem', kind: 'environment', path: dir },
      message: expect.stringContaining('cannot be made'),
    })
  })

  it('an entry that cannot be written is one too: it ends there', async () => {
    // The folder's path is as long as one can be, so that no path of a file in it can be.
    let dir = tempFolder()
    while (dir.length < 4_060) dir = join(dir, 'x'.repeat(Math.min(200, 4_060 - dir.length)))
    await expect(writeSampleRecord(dir)).rejects.toMatchObject({
      ...{ name: 'Problem', kind: 'environment', path: dir },
      message: expect.stringContaining('ENAMETOOLONG'),
    })
  })
})
