import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkResult } from '../../src/scan/check/check-result.ts'
import { compareResults } from '../../src/scan/compare/compare-results.ts'
import type { Message } from '../../src/scan/message.ts'
import { heldNotice, msgId, refusedNotice, releasedNotice } from '../support/delivery-notices.ts'
import { at } from '../support/record-builder.ts'
import { session, transcriptBuilder } from '../support/sample-transcripts.ts'
import { linesOf, rowsOf, scanInto } from '../support/scanned-result.ts'
import { tempFolder } from '../support/temp-folder.ts'

const NOW = new Date('2026-12-01T00:00:00.000Z')
const HOSTS = {
  isMeta: true,
  promptSource: 'system',
  rowSource: 'harness',
  turnOrigin: 'system',
  origin: undefined,
}

/** Transcripts of a sender that was told of two messages, and of a receiver that was given one of them; scanned. */
async function scanned(notices = [heldNotice(msgId(1)), refusedNotice(msgId(2))]) {
  const dir = tempFolder()
  const transcripts = transcriptBuilder(join(dir, 'claude'))
  transcripts.typed(session(1), notices.join('\n'), at(1), HOSTS)
  transcripts.typed(session(2), 'Another Claude session sent a message:\nhello', at(2), {
    ...{ isMeta: true, promptSource: 'system', turnOrigin: 'peer' },
    origin: { kind: 'peer', from: 'uds:/s/1.sock', msg_id: msgId(1), body: 'hello' },
  })
  const out = join(dir, 'out')
  const scan = (to = out, revision = 'test') => scanInto(to, transcripts.dir, { revision })
  await scan()
  const change = (changed: (row: Message) => void, in_ = out) => {
    const file = join(in_, 'messages.ndjson')
    const rows = linesOf(file).map(line => {
      const row = JSON.parse(line) as Message
      changed(row)
      return `${JSON.stringify(row)}\n`
    })
    writeFileSync(file, rows.join(''))
  }
  const byLabel = (label: string) => rowsOf(out).messages.find(row => row.label === label) as Message
  return { dir, out, transcripts, scan, change, byLabel }
}

describe('ruling 13: what a result holds of messages between sessions', () => {
  it('a notice says what became of which, and a peer’s row names the message', async () => {
    const { byLabel } = await scanned()
    expect(byLabel('notice')).toMatchObject({
      ...{ kind: 'delivery_notice', session: session(1) },
      words: [heldNotice(msgId(1)), refusedNotice(msgId(2))].join('\n'),
    })
    expect(byLabel('notice').evidence.deliveries).toEqual([
      { stage: 'held', msgIds: [msgId(1)] },
      { stage: 'refused', msgIds: [msgId(2)] },
    ])
    expect(byLabel('peer').evidence.correlation).toMatchObject({ msgId: msgId(1) })
    expect(byLabel('peer').evidence).not.toHaveProperty('deliveries')
  })

  it('a copy of the sender’s session holds the same notice', async () => {
    const { out, transcripts, scan, byLabel } = await scanned()
    const copy = readFileSync(transcripts.file(session(1)), 'utf8').replaceAll(session(1), session(3))
    transcripts.raw(session(3), copy)
    await scan()
    expect(rowsOf(out).messages.filter(row => row.label === 'notice')).toHaveLength(1)
    expect(byLabel('notice')).toMatchObject({ session: session(1), alsoAt: [{ line: 1 }] })
    expect(byLabel('notice').evidence.deliveries).toHaveLength(2)
  })
})

describe('ruling 13: the check of a result', () => {
  const problems = async (out: string) => (await checkResult(out, NOW)).problems

  it('finds each id in a row of its message', async () => {
    expect(await problems((await scanned()).out)).toEqual([])
  })

  it('refuses an id that no row of its message holds', async () => {
    const { out, change, byLabel } = await scanned()
    change(row => {
      if (row.evidence.deliveries?.[1]) row.evidence.deliveries[1].msgIds.push(msgId(8))
      if (row.evidence.correlation) row.evidence.correlation.msgId = msgId(9)
    })
    expect(await problems(out)).toEqual([
      `${byLabel('notice').id}: the message id ${msgId(8)} stands in no row of it`,
      `${byLabel('peer').id}: the message id ${msgId(9)} stands in no row of it`,
    ])
  })

  it('takes an id that stands in one of several rows', async () => {
    const { out, transcripts, scan, change } = await scanned()
    const copy = readFileSync(transcripts.file(session(1)), 'utf8').replaceAll(session(1), session(3))
    transcripts.raw(session(3), copy.replace('"userType"', `"toldOf":"${msgId(7)}","userType"`))
    await scan()
    change(row => row.evidence.deliveries?.[0]?.msgIds.push(msgId(7)))
    expect(await problems(out)).toEqual([])
  })

  it('says nothing of ids where the transcript itself is gone', async () => {
    const { out, transcripts } = await scanned()
    writeFileSync(transcripts.file(session(1)), '')
    expect(await problems(out)).toEqual([expect.stringContaining('does not begin with the bytes')])
  })
})

describe('rule.measuredDeployment: what is said of messages', () => {
  const compared = async (older: (row: Message) => void, newer: (row: Message) => void) => {
    const { dir, out, scan, change, byLabel } = await scanned([
      releasedNotice(msgId(1)),
      heldNotice(msgId(2)),
    ])
    const later = join(dir, 'later')
    await scan(later, 'later')
    change(older)
    change(newer, later)
    const { losses, gains } = await compareResults(out, later, { acceptedLoss: null, now: NOW })
    const short = ({ id, what }: { id: string; what: string }) =>
      [id === byLabel('notice').id ? 'notice' : 'peer', what.replace('what it says of messages ', '')].join(
        ': ',
      )
    return { losses: losses.map(short), gains: gains.map(short) }
  }
  const asItIs = () => {}
  const without = (row: Message) => {
    delete row.evidence.deliveries
    if (row.evidence.correlation) row.evidence.correlation.msgId = null
  }
  const notice = `held ${msgId(2)}, released ${msgId(1)}`

  it('is the same where nothing changed, in whichever order', async () => {
    expect(await compared(asItIs, row => row.evidence.deliveries?.reverse())).toEqual({
      losses: [],
      gains: [],
    })
  })

  it('is a gain where the old result said nothing', async () => {
    expect(await compared(without, asItIs)).toEqual({
      losses: [],
      gains: [`notice: none became ${notice}`, `peer: none became read ${msgId(1)}`],
    })
  })

  it('is a loss where the new one says nothing, or something else', async () => {
    expect((await compared(asItIs, without)).losses).toEqual([
      `notice: ${notice} became none`,
      `peer: read ${msgId(1)} became none`,
    ])
    const other = await compared(asItIs, row => row.evidence.deliveries?.pop())
    expect(other).toEqual({ losses: [`notice: ${notice} became released ${msgId(1)}`], gains: [] })
  })
})
