import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startChild } from '../test/host/support/child.ts'
import { PLUGIN } from '../test/host/support/coordination.ts'
import { type MessagesApi, messagesApi } from '../test/host/support/messages-api.ts'
import { call, script, textSent } from '../test/host/support/model-script.ts'
import { newProfile } from '../test/host/support/profile.ts'
import { stream } from '../test/host/support/session.ts'
import { argumentsOf, type SessionOptions } from '../test/host/support/session-options.ts'
import { type Disk, type SlowFolder, slowFolder, whyNoSlowFolder } from '../test/host/support/slow-folder.ts'
import { waitFor } from '../test/host/support/wait-for.ts'
import { onlyWhere } from '../test/support/only-where.ts'

/**
 * What recording costs the host on a disk that does not do as it should: the same done with the plugin on each kind of
 * disk and without it, one after the other in each round. Prints the medians and their ratios, and asserts nothing of
 * them: a busy machine makes single ones long. ROUNDS sets how many rounds there are.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 5)

const DISKS: Disk[] = ['well', 'takes 0.2', 'takes 1', 'hangs', 'ENOSPC', 'EROFS', 'ENOENT']

/** Milliseconds by what was measured, and by the disk; null is without the plugin. */
class Times {
  readonly #all = new Map<Disk | null, Map<string, number[]>>()

  add(disk: Disk | null, what: string, ms: number): void {
    const row = this.#all.get(disk) ?? new Map<string, number[]>()
    this.#all.set(disk, row)
    row.set(what, [...(row.get(what) ?? []), ms])
  }

  print(title: string): void {
    console.log(
      `${title}: median ms of ${ROUNDS}, its ratio to that without the plugin, and to that with it on a disk that is well`,
    )
    for (const [disk, row] of this.#all) {
      const cells = [...row].map(([what, times]) => {
        const to = (other: Disk | null) => median(times) / median(this.#all.get(other)?.get(what) ?? [])
        return `${what} ${Math.round(median(times))} (${to(null).toFixed(2)}, ${to('well').toFixed(2)})`
      })
      console.log(`  ${(disk ?? 'no plugin').padEnd(10)} ${cells.join('   ')}`)
    }
  }
}

function median(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? Number.NaN
}

const why = whyNoSlowFolder()
const test = onlyWhere(why === null, why ?? '')

test('claude -p hi', async () => {
  const { api, disk, without, recording } = await bench()
  const times = new Times()
  for (let round = 0; round < ROUNDS; round++) {
    for (const state of [null, ...DISKS]) {
      disk.set(state ?? 'well')
      const asked = api.requests().length
      const startedAt = Date.now()
      const options = state === null ? without : recording
      const child = startChild(
        options,
        ['-p', 'hi', '--output-format', 'json', ...argumentsOf(options)],
        'ignore',
      )
      let answeredAt = 0
      child.process.stdout?.once('data', () => {
        answeredAt = Date.now()
      })
      await child.ended
      expect(child.stdout(), child.told()).toContain('"result":"ok"')
      times.add(state, 'model asked', (api.requests()[asked]?.at ?? Number.NaN) - startedAt)
      times.add(state, 'answered', answeredAt - startedAt)
      times.add(state, 'ended', Date.now() - startedAt)
    }
  }
  times.print('claude -p hi, from its start')
})

test('a message from one session to another', async () => {
  const { api, disk, without, recording } = await bench()
  const pair = async (options: SessionOptions, name: string) => ({
    receiver: await stream({ ...options, name }),
    sender: await stream(options),
    name,
  })
  const plain = await pair(without, 'plain')
  const recorded = await pair(recording, 'recorded')
  const times = new Times()
  for (let round = 0; round < ROUNDS; round++) {
    for (const state of DISKS) {
      disk.set(state)
      for (const { receiver, sender, name } of state === 'well' ? [plain, recorded] : [recorded]) {
        const text = `message ${round} to ${name} while ${state}`
        const before = api.requests(sender.sessionId()).length
        await sender.ask(script(call('SendMessage', { to: name, summary: 's', message: text })))
        const arrivedAt = await arrival(api, receiver.sessionId(), text)
        const [asked, answered] = api.requests(sender.sessionId()).slice(before)
        if (!asked || !answered) throw new Error('the sender’s model was not asked twice')
        const key = name === 'plain' ? null : state
        times.add(key, 'SendMessage', answered.at - asked.at)
        times.add(key, 'receiver’s model asked', arrivedAt - asked.at)
      }
      disk.set('well')
      await drained(disk)
    }
  }
  times.print('a message, from the call of SendMessage')
})

async function bench() {
  const api = await messagesApi()
  const disk = await slowFolder()
  const settings = { crossSessionInbound: 'accept' }
  const pluginConfigs = {
    'coordination@inline': { options: { recordDir: join(disk.dir, 'record') } },
  }
  const without: SessionOptions = { profile: newProfile({ api }), settings }
  const recording: SessionOptions = {
    profile: newProfile({ api }),
    settings: { ...settings, pluginConfigs },
    pluginDirs: [PLUGIN],
  }
  return { api, disk, without, recording }
}

async function arrival(api: MessagesApi, sessionId: string, text: string): Promise<number> {
  const look = () => api.requests(sessionId).find(one => textSent(one.body).includes(text))
  return (await waitFor(look, { what: `the receiver’s model to be asked with ${text}` })).at
}

/** Waits until the record has stood still for a while, so that what one disk held up does not meet the next. */
async function drained({ behind }: SlowFolder): Promise<void> {
  const record = join(behind, 'record')
  let last = -1
  let since = performance.now()
  const look = () => {
    const files = existsSync(record) ? readdirSync(record, { recursive: true }).length : 0
    if (files !== last) since = performance.now()
    last = files
    return performance.now() - since > 1_500
  }
  await waitFor(look, { what: 'the record to stand still' })
}
