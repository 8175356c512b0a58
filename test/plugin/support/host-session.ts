import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EngineInterface, On, PluginOptions } from 'claude-code'
import { vi } from 'vitest'
import { hostFiles } from '../../support/host-files.ts'
import { tempFolder } from '../../support/temp-folder.ts'

export const ID = '6a6bf114-3c1f-4b52-9f65-0f3a2b1c4d5e'
export const PEER = '0f3a2b1c-4d5e-4b52-9f65-6a6bf1143c1f'
export const OTHER = '7d1f0c1e-5b0a-4c38-9f51-0d5a3b0c1a01'
export const ADDRESS = 'uds:/run/cc-socks/8103.sock'
export const CWD = '/home/dev/project'

// biome-ignore lint/suspicious/noExplicitAny: the host's events and results are of many shapes
type Any = any
type Below = (e: Any) => Any
type Hook = ($: EngineInterface, e: Any, next: (e: Any) => Promise<Any>) => Any

/** How the host takes a message that the model or the mod sends. */
export interface Sent {
  /** The address as the host spells it to its hooks. */
  to?: string
  result?: { isDelivered: boolean; reason?: string }
  /** What the SendMessage tool answers. */
  answer?: Any
  /** Rejects in place of an answer. */
  error?: Error
}

/**
 * One session of a stand-in for the host: real files in a folder of its own, and the calls of `$` that the mod makes,
 * with the behaviour that docs/host.md names. The real host, which takes seconds, is in test/host.
 */
export function hostSession(given: { options?: PluginOptions; env?: Record<string, string> } = {}) {
  const dir = tempFolder()
  const recordDir = join(dir, 'record')
  const config = join(dir, 'config')
  const files = hostFiles()
  /** What a test may change, and what the mod has shown. */
  const world = {
    dir,
    recordDir,
    files,
    id: ID,
    cwd: CWD,
    platform: 'linux',
    transcriptPath: `${config}/projects/p/${ID}.jsonl`,
    settings: {} as Record<string, Any>,
    env: { HOME: join(dir, 'home'), ...given.env } as Record<string, string>,
    /** How messages of the mod itself go out. */
    sent: { to: ADDRESS, result: { isDelivered: true }, answer: { result: { msg_id: 'm-1' } } } as Sent,
    shown: {
      logs: [] as { text: string; to: string | undefined }[],
      toasts: [] as string[],
      status: [] as (string | undefined)[],
      tools: [] as { name: string; inputSchema: Any }[],
      commands: [] as string[],
    },
    /** Why another mod refuses what is written. */
    refuse: null as string | null,
    ticks: [] as { ms: number; tick: () => void }[],
  }
  const hooks: { event: string; matcher: Record<string, unknown>; hook: Hook }[] = []

  const { shown } = world
  /** What the mod has asked of the host and not been answered. */
  const inHand = new Set<string>()
  const origin = { plugin: 'coordination', tier: 'user' }
  /** A call of the mod's own comes past its own hooks. */
  async function asked(event: string, e: object, below: () => Promise<unknown>): Promise<Any> {
    inHand.add(event)
    const refused = event === 'fs.write' && world.refuse !== null
    try {
      const answer = await raise(
        event,
        e,
        async () => (refused ? { deny: world.refuse } : { value: await below() }),
        origin,
      )
      if (answer.deny !== undefined) throw new Error(answer.deny)
      return answer.value
    } finally {
      inHand.delete(event)
    }
  }
  const $ = {
    fs: {
      stat: (path: string) => asked('fs.stat', { path }, () => files.fs.stat(path)),
      read: (path: string) => asked('fs.read', { path }, () => files.fs.read(path)),
      list: (path: string) => asked('fs.list', { path }, () => files.fs.list(path)),
      write: (path: string, text: string) =>
        asked('fs.write', { path, text }, () => files.fs.write(path, text)),
    },
    session: {
      id: async () => world.id,
      cwd: async () => world.cwd,
      version: async () => ({ version: '2.1.332' }),
      info: async () => ({ transcriptPath: world.transcriptPath, platform: world.platform }),
      send: ({ to, text }: { to: { sessionId: string }; text: string }) => ownSend(to.sessionId, text),
    },
    env: { get: async (name: string) => world.env[name] },
    settings: { read: async ({ source }: { source: string }) => world.settings[source] ?? {} },
    tool: { register: async (tool: Any) => void shown.tools.push(tool) },
    command: { register: async ({ name }: { name: string }) => void shown.commands.push(name) },
    clock: {
      sleep: (ms: number) =>
        asked('clock.sleep', { ms }, () => new Promise(resolve => setTimeout(resolve, ms))),
      every: (ms: number, tick: () => void) => void world.ticks.push({ ms, tick }),
      after(ms: number, act: () => void) {
        const timer = setTimeout(act, ms)
        return { cancel: () => clearTimeout(timer) }
      },
    },
    ui: {
      log: (text: string, more?: { to?: string }) => void shown.logs.push({ text, to: more?.to }),
      toast: (text: string) => void shown.toasts.push(text),
      status: (text: string | undefined) => void shown.status.push(text),
    },
  } as unknown as EngineInterface

  /** A new load of the mod, as at a start of the session and at a reload: its variables begin anew. */
  async function load(): Promise<void> {
    vi.resetModules()
    hooks.length = 0
    const { register } = await import('../../../src/plugin/register.ts')
    const on = (event: string, ...rest: unknown[]) => {
      const matcher = (rest.length > 1 ? rest[0] : {}) as Record<string, unknown>
      hooks.push({ event, matcher, hook: rest.at(-1) as Hook })
    }
    register(on as unknown as On, { recordDir, recordText: 'full', ...given.options })
  }

  /** Loads the mod and starts the session. */
  async function start(source = 'startup'): Promise<void> {
    await load()
    const e = { session_id: world.id, cwd: world.cwd, source }
    await emit('classic.SessionStart', e, () => ({}))
    await emit('session.start', { cwd: world.cwd }, () => ({ cwd: world.cwd }))
    await settled()
  }

  /** Raises an event; `below` is what the host does under the mod. Gives what the mod gives back, without waiting for more. */
  async function raise(
    event: string,
    e: Any,
    below: Below = () => undefined,
    from: object = {},
  ): Promise<Any> {
    const next = Object.assign(async (one: Any) => below(one), { origin: from })
    const fits = (matcher: object) => Object.entries(matcher).every(([key, value]) => e[key] === value)
    const found = hooks.find(one => one.event === event && fits(one.matcher))
    return found ? found.hook($, e, next) : next(e)
  }

  /** The same, and what the mod does beside the event is done as well. */
  async function emit(event: string, e: Any, below?: Below): Promise<Any> {
    try {
      return await raise(event, e, below)
    } finally {
      await settled()
    }
  }

  /** The model sends with its tool: the call's hook is around that of the message. */
  async function modelSends(to: string, text: string, sent: Sent = {}, agentId?: string): Promise<Any> {
    const e = { tool: 'SendMessage', to, message: text, ...(agentId ? { agentId } : {}) }
    return emit('tool.call', e, async () => {
      await raiseSent(to, text, sent, { kind: 'model' }, agentId)
      return sent.answer ?? { result: {} }
    })
  }

  async function raiseSent(to: string, text: string, sent: Sent, origin: object, agentId?: string) {
    const e = { to, text, origin, ...(agentId ? { agentId } : {}) }
    return emit('session.send', e, () => sent.result ?? { isDelivered: true })
  }

  /** A mod's own message runs through the SendMessage tool too (docs/host.md, sending). */
  async function ownSend(id: string, text: string) {
    const { to = id, result = { isDelivered: true }, answer, error } = world.sent
    if (error) throw error
    await emit('tool.call', { tool: 'SendMessage', to, message: text }, async () => {
      await raiseSent(to, text, { result }, { kind: 'plugin', name: 'coordination' })
      return answer ?? { result: {} }
    })
    return result
  }

  /** The entries of a session, in the order of their names. */
  function entries(session = world.id): Any[] {
    const folder = join(recordDir, session)
    if (!existsSync(folder)) return []
    const names = readdirSync(folder).sort()
    return names.map(name => JSON.parse(readFileSync(join(folder, name), 'utf8')))
  }

  /** A line of the host's registry of live sessions. */
  function lists(pid: number | string, row: object | string): void {
    mkdirSync(join(config, 'sessions'), { recursive: true })
    const text = typeof row === 'string' ? row : JSON.stringify(row)
    writeFileSync(join(config, 'sessions', typeof pid === 'number' ? `${pid}.json` : pid), text)
  }

  return Object.assign(world, {
    ...{ $, load, start, raise, emit, modelSends, raiseSent, entries, lists },
    messages: (session = world.id) => entries(session).filter(one => one.kind === 'message'),
    inHand: () => [...inHand].filter(call => call !== 'clock.sleep'),
    logged: (what: RegExp) => shown.logs.filter(({ text }) => what.test(text)),
  })
}

export type HostSession = ReturnType<typeof hostSession>

/** Waits until what the mod does without being waited for is done; no call of the stand-in takes time. */
export const settled = () => new Promise<void>(done => setImmediate(done))

/** A delivery from another session, in the host's envelope. */
export function delivery(text: string, from = ADDRESS): string {
  return `<cross-session-message from="${from}" from-name="peer" from-mode="prompting">\n${text}\n</cross-session-message>`
}
