import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { IndexWriter } from '../../src/database/index-writer.ts'
import { entryRow } from '../../src/indexer/entry-row.ts'
import type { Entry } from '../../src/record/entry.ts'
import { makeIndex } from '../../src/sqlite/new-index.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import { isSound } from '../../src/sqlite/soundness.ts'
import { foundIds } from '../../src/sqlite/text-search.ts'
import { updateIndex } from '../../src/sqlite/update-index.ts'
import { wholeEntries } from '../support/entries.ts'
import { tempFolder } from '../support/temp-folder.ts'

const FOLDER = { name: 's', identity: 'i', is_settled: 1, problem: null, first_seen: null, tries: 0 }
const UNREAD = {
  ...{ stat: 'old', sha256: null, is_conflict: 0, reason: 'not JSON', name_at: null },
  ...{ twin_session: null, twin_name: null },
}
const SESSION = wholeEntries.received.sessionId

function addMessage(writer: IndexWriter, folder: number, name: string, text: string, at?: string): void {
  const { row, text: kept } = entryRow({
    ...wholeEntries.received,
    text,
    ...(at === undefined ? {} : { at }),
  } as Entry)
  writer.addEntry({ folder_id: folder, name, stat: 'old', sha256: name }, row, kept)
}

/** An index with one folder, in which lie two messages, a file to try again and one that is no entry for good. */
async function index(): Promise<string> {
  const path = join(tempFolder(), 'i.db')
  await makeIndex(path, async writer => {
    const folder = writer.addFolder(FOLDER)
    writer.addFolder({ ...FOLDER, name: 'other' })
    addMessage(writer, folder, 'a.json', 'apples', '2026-11-01T10:00:02.000Z')
    addMessage(writer, folder, 'b.json', 'pears', '2026-11-01T10:00:01.000Z')
    writer.addUnread({ ...UNREAD, folder_id: folder, name: 'torn', is_retried: 1 }, 'now')
    writer.addUnread({ ...UNREAD, folder_id: folder + 1, name: 'notes', is_retried: 0 }, 'now')
  })
  return path
}

/** Does something to an index and keeps it. */
const change = <T>(path: string, work: (writer: IndexWriter) => T): Promise<T> =>
  updateIndex(path, async writer => {
    const done = work(writer)
    writer.commit()
    return done
  })

const idOf = (writer: IndexWriter, name: string): number =>
  writer.knownFiles(1).find(file => file.name === name)?.id as number

describe('the writer of an index', () => {
  it('gives a session’s evidence by time, then by name', async () => {
    const path = await index()
    const names = await change(path, writer => {
      addMessage(writer, 1, 'c.json', 'plums', '2026-11-01T10:00:01.000Z')
      addMessage(writer, 1, '0.json', 'figs', '2026-11-01T10:00:03.000Z')
      return [...writer.evidence(SESSION)].map(({ name }) => name)
    })
    expect(names).toEqual(['b.json', 'c.json', 'a.json', '0.json'])
  })

  it('names only the folders in which another look may read something', async () => {
    const path = await index()
    expect(await change(path, writer => [...writer.retriedFolders()])).toEqual([1])
  })

  it('takes an entry out with its text and its words', async () => {
    const path = await index()
    await change(path, writer => {
      addMessage(writer, 1, 'c.json', 'plums')
      for (const name of ['a.json', 'c.json']) writer.removeEntry(idOf(writer, name))
    })
    const db = openSqlite(path)
    const texts = db.prepare('select text from message_text').pluck().all()
    const found = (word: string) => db.prepare(`${foundIds('message_text')} ?`).all(word).length
    expect([texts, found('apples'), found('pears'), found('plums')]).toEqual([['pears'], 0, 1, 0])
    expect(isSound(db)).toBe(true)
    db.close()
  })

  it.each<[string, boolean, boolean, (writer: IndexWriter) => void]>([
    ['nothing', false, false, () => {}],
    ['how often a file was looked at', true, false, writer => writer.retryUnread(1, { ...UNREAD }, true)],
    [
      'another file that cannot be read either',
      true,
      true,
      writer => writer.retryUnread(1, { ...UNREAD }, false),
    ],
    ['the look of a file of the same bytes', true, false, writer => writer.updateEntryStat(1, 'new')],
    ['a folder’s time', true, false, writer => writer.updateFolder({ ...FOLDER, id: 1 })],
    ['a time of the index', true, false, writer => writer.setMeta('indexed_at', 'now')],
    ['an entry that is gone', true, true, writer => writer.removeEntry(1)],
    ['a file that is no longer unread', true, true, writer => writer.removeUnread(1)],
    ['a folder that is gone', true, true, writer => writer.removeFolder(2)],
    ['a session that is gone', true, true, writer => writer.removeSession(SESSION)],
    ['a new entry', true, true, writer => addMessage(writer, 1, 'c.json', 'plums')],
  ])(
    'says of %s whether it is a change (%s), and of what is answered (%s)',
    async (_, isChanged, isContent, work) => {
      const path = await index()
      const said = await updateIndex(path, async writer => {
        work(writer)
        return [writer.isChanged(), writer.isContentChanged()]
      })
      expect(said).toEqual([isChanged, isContent])
    },
  )

  it('keeps others from writing from its first write on, not before', async () => {
    const path = await index()
    const other = openSqlite(path, { timeout: 0 })
    const write = () => other.exec(`insert or replace into meta (key, value) values ('k', 'v')`)
    await updateIndex(path, async writer => {
      writer.folders()
      write()
      writer.setMeta('indexed_at', 'now')
      expect(write).toThrow(expect.objectContaining({ code: 'SQLITE_BUSY' }))
    })
    other.close()
  })

  it('reads back names, reasons and values that SQLite cannot hold', async () => {
    const path = await index()
    const odd = 'a\0b\ud800'
    const read = await change(path, writer => {
      writer.updateFolder({ ...FOLDER, name: odd, id: 1 })
      writer.addUnread({ ...UNREAD, folder_id: 1, name: odd, is_retried: 1 }, 'now')
      writer.setMeta('record_dir', odd)
      const folder = writer.folders().find(({ id }) => id === 1)
      return [folder?.name, writer.knownFiles(1).at(-1)?.name, writer.meta('record_dir')]
    })
    expect(read).toEqual([odd, odd, odd])
  })

  it('has the words of a result found from when they are added to when they are taken out', async () => {
    const path = await index()
    const found = () => {
      const db = openSqlite(path)
      const ids = db.prepare(`${foundIds('scan_message')} 'plums'`).all()
      expect(isSound(db)).toBe(true)
      db.close()
      return ids.length
    }
    await change(path, writer => {
      writer.adding('scan_message', Object.keys(SCANNED))({ ...SCANNED })
      writer.addWords(7)
    })
    expect(found()).toBe(1)
    await change(path, writer => {
      writer.removeWords(7)
      writer.removing('scan_message', 'result_id')(7)
    })
    expect(found()).toBe(0)
  })
})

const SCANNED = {
  ...{ result_id: 7, message_id: 'm', label: 'person', confidence: 'high', kind: 'typed', words: 'plums' },
  ...{ sha256: 'x', product: 'codex', session_id: 's', at: null, cwd: null, file: '/f', line: 1, offset: 0 },
  ...{ row: null, places: 1, is_decided: 0, correlation: null, msg_id: null, sender_session_id: null },
}
