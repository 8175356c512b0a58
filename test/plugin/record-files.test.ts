import { describe, expect, it, vi } from 'vitest'
import { delivery, hostSession, ID, settled } from './support/host-session.ts'

const PEER_ORIGIN = { kind: 'peer' }
const passOn = (one: { text: string }) => ({ text: one.text })

/** A session whose disk can be made to hang; `asked` counts what the host is asked for and has not answered. */
function hangingSession() {
  const host = hostSession()
  const seen = { asked: 0, most: 0 }
  let until = Promise.resolve()
  let letGo = () => {}
  const { fs } = host.files
  const slow =
    <More extends unknown[], Answer>(call: (path: string, ...more: More) => Promise<Answer>) =>
    async (path: string, ...more: More) => {
      // The host's own registry lies elsewhere.
      if (!path.startsWith(host.recordDir)) return call(path, ...more)
      seen.most = Math.max(seen.most, ++seen.asked)
      await until
      seen.asked -= 1
      return call(path, ...more)
    }
  Object.assign(fs, {
    list: slow(fs.list),
    read: slow(fs.read),
    stat: slow(fs.stat),
    write: slow(fs.write),
  })
  return {
    ...{ host, seen },
    hang: () => {
      until = new Promise<void>(resolve => {
        letGo = resolve
      })
    },
    answer: () => letGo(),
  }
}

const receive = (host: ReturnType<typeof hostSession>, text: string) =>
  host.emit('session.receive', { origin: PEER_ORIGIN, text: delivery(text) }, passOn)
const ends = (host: ReturnType<typeof hostSession>) =>
  host.emit('session.end', { reason: 'other' }, () => ({ sessionId: ID }))
const written = (host: ReturnType<typeof hostSession>) => host.entries().map(one => one.text ?? one.kind)

describe('rule.recordingMayFail: the host’s files', () => {
  it('one call at a time, whatever happens at the same time', async () => {
    const { host, seen } = hangingSession()
    await host.start()
    await Promise.all([
      ...['a', 'b', 'c'].map(text => receive(host, text)),
      host.emit('command.run', { command: 'chain' }),
      host.modelSends('uds:/run/x', 'd', { answer: { result: { msg_id: 'm' } } }),
    ])
    await settled()
    expect(written(host).sort()).toEqual(['a', 'b', 'c', 'd', 'start'])
    expect(seen.most).toBe(1)
  })

  it('a disk that hangs has one call, and messages go on; once it answers all of them are written', async () => {
    const { host, seen, hang, answer } = hangingSession()
    await host.start()
    hang()
    for (const text of ['a', 'b', 'c']) expect(await receive(host, text)).toEqual({ text: delivery(text) })
    await host.emit('turn.complete', {}, () => ({}))
    expect(seen.asked).toBe(1)
    expect(written(host)).toEqual(['start'])
    answer()
    await settled()
    await receive(host, 'd')
    await settled()
    expect(written(host)).toEqual(['start', 'a', 'b', 'c', 'd'])
    expect(host.messages().map(one => one.missing)).toEqual([undefined, undefined, undefined, undefined])
  })

  it('a session without a terminal has nothing of the mod’s in the host’s hands while its disk hangs', async () => {
    const { host, hang } = hangingSession()
    await host.start()
    hang()
    const before = host.inHand()
    await receive(host, 'a')
    expect(host.inHand().filter(call => call.startsWith('fs.'))).toEqual([])
    expect(before).toEqual([])
  })

  it('what waits after a window has closed is written without another event, once the disk is well', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { host, hang, answer } = hangingSession()
      await host.start()
      hang()
      for (const text of ['a', 'b']) await receive(host, text)
      // The window closes, and the call that hangs stays the only one.
      await vi.advanceTimersByTimeAsync(7_000)
      const quiet = () => host.ticks.filter(({ ms }) => ms === 5_000).map(({ tick }) => tick())
      quiet()
      await settled()
      expect(written(host)).toEqual(['start'])
      answer()
      await settled()
      expect(written(host)).not.toContain('b')
      quiet()
      await settled()
      expect(written(host)).toEqual(['start', 'a', 'b'])
    } finally {
      vi.useRealTimers()
    }
  })

  it('what waits is written as the session ends, on a disk that answers', async () => {
    const { host } = hangingSession()
    await host.start()
    await host.raise('session.receive', { origin: PEER_ORIGIN, text: delivery('last') }, passOn)
    await ends(host)
    expect(written(host)).toEqual(['start', 'last'])
  })

  it.each(['clear', 'resume'])('a session that goes on after %s is not held up', async reason => {
    const { host, hang } = hangingSession()
    await host.start()
    hang()
    await receive(host, 'a')
    const end = host.raise('session.end', { reason }, () => ({ sessionId: ID }))
    expect(await Promise.race([end.then(() => 'ended'), settled().then(() => 'held up')])).toBe('ended')
  })

  it('what other mods ask of the host passes through untouched', async () => {
    const { host } = hangingSession()
    await host.start()
    const other = { origin: { plugin: 'other' } }
    for (const [event, e, answer] of [
      ['fs.write', { path: '/x', text: 'y' }, { value: undefined }],
      ['fs.read', { path: '/x' }, { value: 'text' }],
      ['fs.list', { path: '/x' }, { value: ['a'] }],
      ['fs.stat', { path: '/x' }, { value: { kind: 'file' } }],
      ['clock.sleep', { ms: 0.25 }, { value: 7 }],
    ] as const) {
      const seen: object[] = []
      const below = (one: object) => {
        seen.push(one)
        return answer
      }
      expect(await host.raise(event, e, below, other.origin)).toBe(answer)
      expect(seen).toEqual([e])
    }
  })

  it('a mod below that takes its time keeps nothing from being written', async () => {
    const host = hostSession()
    const { write } = host.files.fs
    let isFirst = true
    host.files.fs.write = async (path, text) => {
      await null
      if (isFirst) {
        isFirst = false
        throw new Error('coordination: dispatch settled')
      }
      return write(path, text)
    }
    await host.start()
    expect(written(host)).toEqual(['start'])
    expect(host.logged(/degraded/)).toEqual([])
  })

  it('a refusal by another mod is a failure that is told', async () => {
    const host = hostSession()
    host.refuse = 'not here'
    await host.start()
    expect(host.logged(/recording is degraded: .*not here/)).toHaveLength(1)
  })
})
