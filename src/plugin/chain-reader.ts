import type { EngineInterface } from 'claude-code'
import { chainText } from './chain-text.ts'
import type { Load } from './load.ts'
import { livePeers } from './peer-registry.ts'
import { type KnownChain, readChain } from './read-chain.ts'
import { keepOpenFor, openWindow, recordFiles } from './record-files.ts'
import { recordingWords } from './recording-words.ts'
import { LATE, within } from './within.ts'

/** `/chain` and chain_tree wait so long for the record, and then answer with what is known. */
const LIMIT_MS = 1_700

/**
 * Reads the chain of the session that this process is in, one reading at a time: calls that come while one runs, which may have
 * passed by what they are about, are answered together by the next. A disk that hangs holds one reading and no more.
 */
export function readAgain($: EngineInterface, load: Load): Promise<KnownChain> {
  if (load.reading === null) return begin($, load)
  load.nextReading ??= load.reading.then(
    () => begin($, load),
    () => begin($, load),
  )
  return load.nextReading
}

function begin($: EngineInterface, load: Load): Promise<KnownChain> {
  load.nextReading = null
  load.reading = keepOpenFor(read($, load)).finally(() => {
    load.reading = null
  })
  return load.reading
}

async function read($: EngineInterface, load: Load): Promise<KnownChain> {
  const sessionId = load.session?.id ?? ''
  const chain = await readChain(recordFiles($), load.settings, sessionId)
  load.known = { sessionId, chain, readAt: new Date() }
  return load.known
}

/**
 * The chain of this session as text (toolTree, rule.chainCommand), within the limit: where the record does not answer
 * so soon, what was known before, and when.
 */
export async function treeText($: EngineInterface, load: Load, isMarkdown: boolean): Promise<string> {
  const sessionId = load.session?.id as string
  const peers = livePeers($)
  // What this session itself has just done is to be seen.
  const reading = keepOpenFor(load.queue.drained().then(() => readAgain($, load)))
  openWindow($)
  const read = await within($, LIMIT_MS, reading)
  const state = recordingWords(load.queue.state())
  const known = read === LATE ? load.known : read
  const late = read === LATE ? [lateWords(known, sessionId)] : []
  const reader = { sessionId, now: new Date(), isMarkdown, peers: await peers }
  const tree = known?.sessionId === sessionId ? [chainText(known.chain, reader)] : []
  return [...state, ...late, ...tree].join('\n\n')
}

function lateWords(known: KnownChain | null, sessionId: string): string {
  const unknown = `The record has not answered yet: what it holds now is not known.`
  if (known?.sessionId !== sessionId)
    return `${unknown} This session is ${sessionId}; nothing of its chain has been read.`
  return `${unknown} Below is what was read at ${known.readAt.toISOString()}.`
}
