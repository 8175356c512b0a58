import { describe, expect, it } from 'vitest'
import { type Inbound, inboundNotice, inboundState, readInbound } from '../../src/plugin/inbound.ts'
import { hostSession, settled } from './support/host-session.ts'

const WORDS = ['accept', 'hold', 'refuse', undefined] as const
const rank = { accept: 0, unset: 1, hold: 2, refuse: 3 }

describe('rule.readsInbound: the state that the host acts on', () => {
  it('for every combination: managed, command line, user give it; project and folder only tighten it', () => {
    for (const policy of WORDS)
      for (const flag of WORDS)
        for (const user of WORDS)
          for (const project of WORDS)
            for (const local of WORDS) {
              const base: Inbound = policy ?? flag ?? user ?? 'unset'
              const own = [project, local].filter(one => one !== undefined)
              const expected = [base, ...own].reduce((a, b) => (rank[b] > rank[a] ? b : a))
              const layers = { policy, flag, user, project, local }
              expect(inboundState(layers), JSON.stringify(layers)).toBe(expected)
            }
  })

  it.each(['Accept', 'unset', '', null, 7, true, ['accept'], 'accept '])('%j is no state', word => {
    const none = { policy: undefined, flag: undefined, user: undefined, project: undefined, local: undefined }
    expect(inboundState({ ...none, policy: word, user: 'hold' })).toBe('hold')
    expect(inboundState({ ...none, user: word })).toBe('unset')
    expect(inboundState({ ...none, user: 'accept', local: word })).toBe('accept')
  })

  it('reads each of the five sources', async () => {
    for (const source of ['policy', 'flag', 'user', 'project', 'local']) {
      const host = hostSession()
      host.settings[source] = { crossSessionInbound: 'refuse' }
      expect(await readInbound(host.$), source).toBe('refuse')
      for (const other of ['policy', 'flag', 'user'])
        host.settings[other] ??= { crossSessionInbound: 'accept' }
      const isBase = ['flag', 'user'].includes(source)
      expect(await readInbound(host.$), source).toBe(isBase ? 'accept' : 'refuse')
    }
  })

  it('a source that has no settings says nothing', async () => {
    const host = hostSession()
    host.$.settings.read = (async () => undefined) as unknown as typeof host.$.settings.read
    expect(await readInbound(host.$)).toBe('unset')
  })
})

describe('rule.saysTheState', () => {
  it('one notice at start for hold, refuse and unset; none for accept, and none says dropped', async () => {
    expect(inboundNotice('accept')).toBeNull()
    for (const state of ['hold', 'refuse', 'unset'] as const) {
      const host = hostSession()
      if (state !== 'unset') host.settings.user = { crossSessionInbound: state }
      await host.start()
      const [notice, ...more] = host.logged(/^inbound: /)
      expect(more).toEqual([])
      expect(notice?.text).toBe(inboundNotice(state))
      expect(notice?.text).toMatch(new RegExp(`^inbound: ${state} \\(as read at start\\)\\.`))
      expect(notice?.text).not.toMatch(/dropped|lost|deleted/)
      expect(host.entries()).toMatchObject([{ kind: 'start', inbound: state }])
    }
    const host = hostSession()
    host.settings.user = { crossSessionInbound: 'accept' }
    await host.start()
    expect(host.logged(/inbound/)).toEqual([])
  })
})

describe('rule.stateIsDated: the status line follows the state', () => {
  const tick = async (host: ReturnType<typeof hostSession>) => {
    for (const one of host.ticks) one.tick()
    await settled()
  }

  it('looks every four seconds, draws where it changed and only there', async () => {
    const host = hostSession()
    await host.start()
    expect(host.ticks.map(({ ms }) => ms)).toContain(4_000)
    const before = host.shown.status.length
    await tick(host)
    expect(host.shown.status.length).toBe(before)
    host.settings.user = { crossSessionInbound: 'refuse' }
    await tick(host)
    await tick(host)
    expect(host.shown.status.slice(before)).toEqual(['inbound: refuse'])
    host.settings.user = { crossSessionInbound: 'hold' }
    await tick(host)
    host.settings.user = { crossSessionInbound: 'accept' }
    await tick(host)
    expect(host.shown.status.slice(before + 1)).toEqual(['inbound: hold', undefined])
  })

  it('a look that fails is followed by another', async () => {
    const host = hostSession()
    await host.start()
    const { read } = host.$.settings
    host.$.settings.read = (async () => {
      throw new Error('gone')
    }) as typeof read
    await tick(host)
    host.$.settings.read = read
    host.settings.user = { crossSessionInbound: 'hold' }
    await tick(host)
    expect(host.shown.status.at(-1)).toBe('inbound: hold')
  })
})
