import type { EngineInterface, FsStat, On } from 'claude-code'

/** The part of `$` by which the record and its projections are read and written. */
export type RecordFiles = { fs: Pick<EngineInterface['fs'], 'list' | 'stat' | 'write'> & Reading }

interface Reading {
  read(path: string): Promise<string>
}

/** A call to the host's files, waiting or under way. */
interface Call {
  name: 'list' | 'read' | 'stat' | 'write'
  path: string
  text: string
  /** Asks by the hook that wanted it, which has ended by now; a window asks by its own. */
  directly(): Promise<unknown>
  /** Our own hook has it: the answer comes by way of the hook and not of the call. */
  isTaken: boolean
  settle(answer: Promise<unknown>): void
  settled: Promise<unknown>
}

const PLUGIN = 'coordination'

/** Nobody else sleeps so long: the call by which a window is opened. */
const WINDOW_CALL_MS = 0.25
/** The host takes a hook out of the chain after ten seconds of its own time. */
const WINDOW_MS = 6_000

const LINGER_MS = 20
const QUICK_MS = 100

/** What waits to be asked: an entry that is written goes before what is only to be shown. */
const waiting = { forWriting: [] as Call[], forReading: [] as Call[] }
let underWay: Call | null = null
let isWindowOpen = false
let isDirect = false
let isAsking = false
/** What will ask for files before it ends. */
const ongoing = new Set<Promise<unknown>>()
let arrived = () => {}
/** The window that is being opened is open, or will not be. */
let hasBegun = () => {}

/**
 * The host's files as the record is to be reached, so that a disk that hangs holds up nothing (rule.recordingMayFail;
 * docs/host.md, a disk that hangs). One call after the other, whoever makes it: the host has as many threads for files
 * as the machine has processors, and a call that hangs keeps one of them.
 */
export function recordFiles($: EngineInterface, purpose: keyof typeof waiting = 'forReading'): RecordFiles {
  const line = waiting[purpose]
  return {
    fs: {
      list: (path = '') => ask(line, 'list', path, () => $.fs.list(path)),
      read: path => ask(line, 'read', path, () => $.fs.read(path)),
      stat: path => ask(line, 'stat', path, () => $.fs.stat(path)),
      write: (path, text) => ask(line, 'write', path, () => $.fs.write(path, text), text),
    },
  }
}

function takeNext(): Call | undefined {
  return waiting.forWriting.shift() ?? waiting.forReading.shift()
}

function isAnyWaiting(): boolean {
  return waiting.forWriting.length + waiting.forReading.length > 0
}

/** Lets windows stay open for work that will ask for files. */
export function keepOpenFor<Result>(work: Promise<Result>): Promise<Result> {
  ongoing.add(work)
  const end = () => ongoing.delete(work)
  work.then(end, end)
  return work
}

/**
 * Opens a window where there is work. A turn of a session without a terminal waits, up to a minute, for what mods have asked of
 * the host and not been answered. Only what is asked from inside a hook of ours comes past our own hooks, which answer it at once and let
 * it go on beside the turn; a sleep of our own is such a hook, for as long as we like. So this is called while a hook runs, which must not end before the window has begun: one round to the host.
 */
export function openWindow($: EngineInterface): Promise<void> {
  if (isDirect || isWindowOpen || (!isAnyWaiting() && ongoing.size === 0)) return Promise.resolve()
  isWindowOpen = true
  const begun = new Promise<void>(resolve => {
    hasBegun = resolve
  })
  const close = () => {
    isWindowOpen = false
    hasBegun()
  }
  $.clock.sleep(WINDOW_CALL_MS).then(close, close)
  return begun
}

/** At a terminal no turn waits for files: they are asked for at once, also between the host's events. */
export function askAtOnce(): void {
  isDirect = true
  void askDirectly()
}

/**
 * Takes up, between the host's events, what the last window has left, as long as the disk is quick: with no hook around
 * it a turn would wait for a call. One that hangs is under way still, so nothing is asked then.
 */
export async function askWhileQuick(): Promise<void> {
  if (isAsking) return
  isAsking = true
  await askUntilSlow()
  isAsking = false
}

async function askUntilSlow(): Promise<void> {
  while (!isDirect && !isWindowOpen && !underWay) {
    const call = takeNext()
    if (call) {
      const begun = Date.now()
      begin(call, call.directly())
      await call.settled
      if (Date.now() - begun > QUICK_MS) return
    } else if (ongoing.size > 0) await Promise.race([nextCall(), Promise.allSettled(ongoing)])
    else return
  }
}

/** Registers the hooks on the calls of this mod; what others ask passes through. */
export function hookRecordFiles(on: On): void {
  on('clock.sleep', async ($, e, next) => {
    if (e.ms !== WINDOW_CALL_MS || next.origin.plugin !== PLUGIN) return next(e)
    await workInWindow($)
    return { value: undefined }
  })
  on('fs.list', async (_$, e, next) => {
    if (!isOurs('list', e.path, next.origin)) return next(e)
    letGo(next(e))
    return { value: [] }
  })
  on('fs.read', async (_$, e, next) => {
    if (!isOurs('read', e.path, next.origin)) return next(e)
    letGo(next(e))
    return { value: '' }
  })
  on('fs.stat', async (_$, e, next) => {
    if (!isOurs('stat', e.path, next.origin)) return next(e)
    letGo(next(e))
    return { value: NO_STAT }
  })
  on('fs.write', async (_$, e, next) => {
    if (!isOurs('write', e.path, next.origin)) return next(e)
    letGo(next(e))
    return { value: undefined }
  })
}

/** Nobody looks at it: the caller waits for what comes beside it. */
const NO_STAT: FsStat = { kind: 'other', size: 0, mtimeMs: 0, isLink: false }

function ask<Answer>(
  line: Call[],
  name: Call['name'],
  path: string,
  directly: () => Promise<Answer>,
  text = '',
): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    let end = () => {}
    const settled = new Promise<void>(done => {
      end = done
    })
    const settle = (answer: Promise<unknown>) => {
      answer.then(value => resolve(value as Answer), reject).finally(end)
    }
    line.push({ name, path, text, directly, isTaken: false, settle, settled })
    if (isDirect) void askDirectly()
    else arrived()
  })
}

async function askDirectly(): Promise<void> {
  while (!underWay && isAnyWaiting()) {
    const call = takeNext() as Call
    begin(call, call.directly())
    await call.settled
  }
}

async function workInWindow($: EngineInterface): Promise<void> {
  hasBegun()
  let isOver = false
  let close = () => {}
  const closing = new Promise<void>(resolve => {
    close = resolve
  })
  const timer = $.clock.after(WINDOW_MS, () => {
    isOver = true
    close()
  })
  while (!isOver && !isDirect) {
    if (underWay) await Promise.race([underWay.settled, closing])
    else if (isAnyWaiting()) beginBy($, takeNext() as Call)
    else if (ongoing.size > 0) await Promise.race([nextCall(), Promise.allSettled(ongoing), closing])
    else if (!(await isMoreComing($))) break
  }
  timer.cancel()
}

/** What has ended may be about to begin something more. */
async function isMoreComing($: EngineInterface): Promise<boolean> {
  await new Promise<void>(resolve => {
    const timer = $.clock.after(LINGER_MS, resolve)
    void nextCall().then(() => {
      timer.cancel()
      resolve()
    })
  })
  return isAnyWaiting() || ongoing.size > 0
}

function nextCall(): Promise<void> {
  return new Promise(resolve => {
    arrived = resolve
  })
}

function beginBy($: EngineInterface, call: Call): void {
  // Before it is asked: our hooks look for it.
  underWay = call
  begin(call, asked($, call))
}

function begin(call: Call, answer: Promise<unknown>): void {
  underWay = call
  call.settled.then(() => {
    underWay = null
    if (isDirect) void askDirectly()
  })
  answer.then(
    () => !call.isTaken && call.settle(answer),
    () => !call.isTaken && call.settle(answer),
  )
}

function asked($: EngineInterface, { name, path, text }: Call): Promise<unknown> {
  switch (name) {
    case 'list':
      return $.fs.list(path)
    case 'read':
      return $.fs.read(path)
    case 'stat':
      return $.fs.stat(path)
    case 'write':
      return $.fs.write(path, text)
  }
}

/** Whether a call that is raised to our hooks is the one that is under way here. */
function isOurs(name: Call['name'], path: string, { plugin }: { plugin?: string }): boolean {
  return plugin === PLUGIN && underWay?.name === name && underWay.path === path && !underWay.isTaken
}

/** Answers the call that is under way with what the host gives below, whenever that comes. */
function letGo(below: Promise<{ value?: unknown; deny?: unknown }>): void {
  const call = underWay as Call
  call.isTaken = true
  // A mod below that takes its time passes on what has been answered: that is refused, and asked again with patience.
  const answered = below.catch((error: Error) => {
    if (!/\bdispatch settled\b/.test(error.message)) throw error
    return call.directly().then(value => ({ value }))
  })
  call.settle(
    answered.then(answer => {
      if ('deny' in answer) throw new Error(String(answer.deny))
      return answer.value
    }),
  )
}
