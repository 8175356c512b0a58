import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { endingFolder } from './endings.ts'
import { pluginDir } from './plugin-dir.ts'
import { waitFor } from './wait-for.ts'

/** One thing that the probe saw: the event, in which session, what it was given and what came of it. */
export interface Seen {
  event: string
  at: number
  /** `$.session.id()` when it was logged. */
  sessionId: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into what the host gave
  e: any
  /** Whose doing the event is, by `next.origin`: the host's `engine`, or a plugin. */
  origin?: { plugin: string; tier: string }
  /** What `next(e)` resolved with. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into what the host gave
  result?: any
  /** The message with which `next(e)` rejected. */
  rejected?: string
}

/** A plugin named `probe` that logs what its hooks see, also of the processes that other mods run, in one folder for all sessions that load it. */
export interface Probe {
  readonly dir: string
  /** What was logged so far, in order of time; of one event, if it is given. */
  seen(event?: string): Seen[]
  waitForSeen(what: string, matches: (seen: Seen) => boolean): Promise<Seen>
}

/**
 * Writes the probe: it shows `probe of <session id>` as its status, has the tool `mcp__probe__note`
 * ({text}: `noted: <text>`) and the command `/probe` (`probe here: <session id>`).
 */
export function probeMod(dir = endingFolder()): Probe {
  const log = join(dir, 'log')
  const plugin = pluginDir({ name: 'probe', dir: join(dir, 'plugin'), module: source(log) })
  const seen = (event?: string) => {
    if (!existsSync(log)) return []
    return readdirSync(log)
      .flatMap(name => read(join(log, name)))
      .sort((a, b) => a.at - b.at || a.count - b.count)
      .filter(one => event === undefined || one.event === event)
  }
  return {
    dir: plugin,
    seen,
    waitForSeen: (what, matches) =>
      waitFor(() => seen().find(matches), {
        what: `the probe to see ${what}`,
        seen: () =>
          `it saw:\n${seen()
            .map(one => JSON.stringify(one))
            .join('\n')}`,
      }),
  }
}

function read(file: string): (Seen & { count: number })[] {
  try {
    return [JSON.parse(readFileSync(file, 'utf8'))]
  } catch {
    // Just being written.
    return []
  }
}

/** Events, among them calls of other mods, whose hooks only look and pass on. `validate` wants the names as literals in the module. */
const LOOKED_AT = [
  'session.end',
  'session.send',
  'session.receive',
  'session.compact',
  'prompt.submit',
  'tool.call',
  'agent.spawn',
  'turn.start',
  'turn.complete',
  'classic.SessionEnd',
  'process.run',
]

function source(log: string): string {
  return `
const LOG = ${JSON.stringify(log)}
const load = crypto.randomUUID().slice(0, 8)
let count = 0
async function put($, event, e, more) {
  const at = Date.now()
  const name = at + '-' + load + '-' + ++count
  const text = JSON.stringify({ event, at, count, sessionId: await $.session.id(), e, ...more })
  await $.fs.write(LOG + '/' + name + '.json', text)
}
async function look($, event, e, next) {
  let result
  try {
    result = await next(e)
  } catch (error) {
    await put($, event, e, { origin: next.origin, rejected: error.message })
    throw error
  }
  await put($, event, e, { origin: next.origin, result })
  return result
}
export function register(on, options) {
${LOOKED_AT.map(event => `  on('${event}', ($, e, next) => look($, '${event}', e, next))`).join('\n')}
  on('classic.SessionStart', async ($, e, next) => {
    const result = await look($, 'classic.SessionStart', e, next)
    $.ui.status('probe of ' + e.session_id)
    return result
  })
  on('session.start', async ($, e, next) => {
    await $.tool.register({
      name: 'note',
      description: 'Notes a text',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      isDeferred: false,
    })
    await $.command.register({ name: 'probe', description: 'Says where the probe is', immediate: true })
    $.ui.status('probe of ' + (await $.session.id()))
    return look($, 'session.start', e, next)
  })
  on('tool.run', { tool: 'mcp__probe__note' }, async ($, e) => {
    await put($, 'tool.run', e, {})
    return { result: 'noted: ' + e.text, text: 'noted: ' + e.text }
  })
  on('command.run', { command: 'probe' }, async ($, e) => {
    await put($, 'command.run', e, {})
    return { text: 'probe here: ' + (await $.session.id()) }
  })
}
`
}
