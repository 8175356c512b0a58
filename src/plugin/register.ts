import type {
  EngineInterface,
  On,
  PluginOptions,
  SessionReceiveInput,
  SessionReceiveResult,
  SessionSendInput,
  SessionSendResult,
  ToolCallInput,
} from 'claude-code'
import { toastArrival } from './arrival-toast.ts'
import { treeText } from './chain-reader.ts'
import { inboundNotice, readInbound } from './inbound.ts'
import { join, whyRefused } from './join.ts'
import { type Load, newLoadOf } from './load.ts'
import { type Arrival, type Outcome, outcomeOf, readArrival, recordArrival } from './received-messages.ts'
import { askAtOnce, askWhileQuick, hookRecordFiles, keepOpenFor, openWindow } from './record-files.ts'
import { msgIdOf, noteSending, recordToolSending, recordUnanswered, takeSame } from './sent-messages.ts'
import { ensureStarted, startSession } from './session-start.ts'
import { readSettings } from './settings.ts'
import { drawStatus, followInbound } from './status-line.ts'
import { registerToolsAndCommand } from './tools.ts'
import { within } from './within.ts'

/** What the host's last event has left to write is taken up so often. */
const QUIET_MS = 5_000

/** The host allows all hooks of a session's end 1.5 seconds. */
const END_MS = 1_000

/** A message waits so long for a look at the host's registry, which takes a few milliseconds. */
const REGISTRY_MS = 200

/** The one load of this module; null until the settings have been read, or where they cannot be used. */
let load: Load | null = null
let problem: string | null = null

/**
 * The mod: the host's events to entries, the two tools, the command, the status line and the toast. Every hook passes
 * its event on untouched, whatever happens to the recording of it.
 */
export function register(on: On, options: PluginOptions): void {
  hookRecordFiles(on)
  on('classic.SessionStart', async ($, e, next) => {
    const result = await next(e)
    await onSessionId($, options, e)
    return result
  })
  on('session.start', async ($, e, next) => {
    const result = await next(e)
    await onLoad($, options, e.isInteractive)
    return result
  })
  on('session.send', async ($, e, next) => {
    const result = await next(e)
    await onSent($, e, result)
    return result
  })
  on('tool.call', { tool: 'SendMessage' }, async ($, e, next) => {
    const result = await next(e)
    await onSendMessageAnswered($, e, result)
    return result
  })
  on('session.receive', ($, e, next) => onReceived($, e, one => next(one)))
  on('agent.spawn', async (_$, e, next) => {
    const result = await next(e)
    noteAgent(e, result)
    return result
  })
  on('turn.complete', async ($, e, next) => {
    const result = await next(e)
    await onTurnEnd($)
    return result
  })
  on('session.end', async ($, e, next) => {
    const result = await next(e)
    if (e.reason !== 'clear' && e.reason !== 'resume') await onEnd($)
    return result
  })
  on('tool.run', { tool: 'mcp__coordination__chain_join' }, async ($, e) => answerJoin($, e))
  on('tool.run', { tool: 'mcp__coordination__chain_tree' }, async $ => ({
    result: await answerTree($, false),
  }))
  on('command.run', { command: 'chain' }, async $ => ({
    text: await answerTree($, load?.isAtTerminal ?? false),
    isTextDisplayOnly: true as const,
  }))
}

async function prepared($: EngineInterface, options: PluginOptions): Promise<Load | null> {
  if (load || problem) return load
  const read = await readSettings($, options)
  if ('problem' in read) {
    problem = `${read.problem} (${read.hint}). Nothing is recorded.`
    $.ui.log(problem)
    return null
  }
  load ??= newLoadOf(read.settings)
  return load
}

/** A session id that is new here: start, resume, fork or /clear. A compacted session goes on under its own. */
async function onSessionId(
  $: EngineInterface,
  options: PluginOptions,
  e: { session_id: string; cwd: string; source: string },
): Promise<void> {
  try {
    const one = await prepared($, options)
    if (!one || e.source === 'compact') return
    startSession($, one, { id: e.session_id, cwd: e.cwd, cause: e.source })
    drawStatus($, one)
    await openWindow($)
  } catch (error) {
    tellFault($, error)
  }
}

async function onLoad($: EngineInterface, options: PluginOptions, isInteractive: boolean): Promise<void> {
  try {
    if (isInteractive) askAtOnce()
    await registerToolsAndCommand($)
    const notice = inboundNotice(await readInbound($))
    if (notice) $.ui.log(notice)
    const one = await prepared($, options)
    if (!one) return
    one.isAtTerminal = isInteractive
    // A load that no start of a session has come before is one into a session that was running already.
    startSession($, one, { id: await $.session.id(), cwd: await $.session.cwd(), cause: 'reload' })
    drawStatus($, one)
    followInbound($, one)
    $.clock.every(QUIET_MS, () => void askWhileQuick())
    await openWindow($)
  } catch (error) {
    tellFault($, error)
  }
}

/** What waits is written while the host still runs: nothing waits for it any more, and the host allows little time. */
async function onEnd($: EngineInterface): Promise<void> {
  try {
    if (!load) return
    const one = load
    const written = Promise.all(one.beside).then(() => one.queue.drained())
    await openWindow($)
    await within($, END_MS, written)
  } catch (error) {
    tellFault($, error)
  }
}

async function onSent($: EngineInterface, e: SessionSendInput, result: SessionSendResult): Promise<void> {
  try {
    if (!load) return
    // The join tool records its own notice: only it knows the parent's id, and the host may not raise this event at all.
    if (load.ownSending?.text === e.text) {
      load.ownSending.to = e.to
      return
    }
    const sending = noteSending($, e, result)
    if (e.origin.kind === 'model') {
      const answer = takeSame(load.answers, sending)
      if (answer) beside($, load, recordToolSending($, load, sending, answer.result))
      else load.pending.push(sending)
    } else beside($, load, recordUnanswered($, load, [sending]))
    drawStatus($, load)
    await openWindow($)
  } catch (error) {
    tellFault($, error)
  }
}

/** What is left of the turn's calls when it ends will not be paired any more. */
async function onTurnEnd($: EngineInterface): Promise<void> {
  try {
    if (!load) return
    load.answers.length = 0
    beside($, load, recordUnanswered($, load, load.pending.splice(0)))
    drawStatus($, load)
    await openWindow($)
  } catch (error) {
    tellFault($, error)
  }
}

async function onSendMessageAnswered(
  $: EngineInterface,
  e: ToolCallInput,
  answered: { result?: unknown; deny?: unknown; isError?: unknown },
): Promise<void> {
  try {
    if (!load) return
    const { to, message, agentId } = e as unknown as { to?: unknown; message?: unknown; agentId?: string }
    if (typeof to !== 'string' || typeof message !== 'string') return
    if (load.ownSending?.text === message) {
      load.ownSending.msgId = msgIdOf(answered.result)
      return
    }
    const answer = { to, text: message, agentId, result: answered.result }
    const sending = takeSame(load.pending, answer)
    if (sending) beside($, load, recordToolSending($, load, sending, answer.result))
    // A call that was denied or not taken has sent nothing, and must lend nothing to the next one like it.
    else if (answered.deny === undefined && !answered.isError) load.answers.push(answer)
    await openWindow($)
  } catch (error) {
    tellFault($, error)
  }
}

/** Lets a recording go on beside the host's event; a session without its start entry gets one once something can be written. */
function beside($: EngineInterface, load: Load, recording: Promise<boolean>): void {
  const work = recording
    .then(isWritten => {
      if (isWritten) ensureStarted($, load)
    })
    .catch(error => tellFault($, error))
    .finally(() => load.beside.delete(work))
  load.beside.add(keepOpenFor(work))
}

type PassOn = (e: SessionReceiveInput) => Promise<SessionReceiveResult>

async function onReceived(
  $: EngineInterface,
  e: SessionReceiveInput,
  next: PassOn,
): Promise<SessionReceiveResult> {
  const arrival = load ? readArrival($, e) : null
  // The sender may be gone once the message has passed; the host's own registry is where it keeps its settings.
  if (arrival) await within($, REGISTRY_MS, arrival.peerSessionId)
  let result: SessionReceiveResult
  try {
    result = await next(e)
  } catch (error) {
    // Held or refused below: the host's own answer, passed on as it is.
    if (arrival) await onArrived($, arrival, 'rejected')
    throw error
  }
  if (arrival) await onArrived($, arrival, outcomeOf(result))
  return result
}

async function onArrived($: EngineInterface, arrival: Arrival, outcome: Outcome): Promise<void> {
  try {
    if (!load) return
    beside($, load, recordArrival($, load, arrival, outcome))
    void toastArrival($, load, arrival)
    drawStatus($, load)
    await openWindow($)
  } catch (error) {
    tellFault($, error)
  }
}

function noteAgent(e: unknown, result: unknown): void {
  const { name } = e as { name?: unknown }
  const { agentId } = (result ?? {}) as { agentId?: unknown }
  for (const one of [name, agentId]) if (typeof one === 'string') load?.agents.add(one)
}

async function answerJoin(
  $: EngineInterface,
  e: ToolCallInput,
): Promise<{ result: string } | { deny: string }> {
  if (!load?.session) return { deny: problem ?? 'this session is not recorded yet; try again' }
  const input = e as unknown as { parent: string; part: string; brief?: string; agentId?: string }
  const refusal = whyRefused(input, input.agentId, load.session.id)
  if (refusal) return { deny: refusal }
  const result = await join($, load, input)
  drawStatus($, load)
  openWindow($)
  return { result }
}

async function answerTree($: EngineInterface, isMarkdown: boolean): Promise<string> {
  if (!load?.session) return problem ?? 'this session is not recorded yet'
  return treeText($, load, isMarkdown)
}

/** A fault of this plugin is told once a kind in the debug log, and never reaches a message. */
function tellFault($: EngineInterface, error: unknown): void {
  $.ui.log(`fault: ${error instanceof Error ? error.message : String(error)}`, { to: 'debug' })
}
