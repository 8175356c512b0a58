import { createHash, type Hash } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import type { Extract, Finding } from '../extract/extract.ts'
import { readAt } from '../extract/extract-file.ts'
import type { Found, FoundSend } from '../extract/found.ts'
import type { Confidence, Label, Place, Product } from '../message.ts'
import { readLines } from '../transcripts/read-lines.ts'

/** Where a line of an extract stands: long texts are read again when they are needed, and not kept. */
export interface Spot {
  extract: Extract
  position: number
  length: number
}

/** One find without its words. */
export interface Item {
  /** The same in every scan of the same row and words. */
  id: string
  extract: Extract
  seq: number
  label: Label
  confidence: Confidence
  kind: string
  saysNothing: boolean
  sha256: string
  at: string | null
  session: string
  cwd: string | null
  product: Product
  place: Place
  also: Place[]
  spot: Spot | null
  /** A find that holds only if nothing follows: it stands with the whole of the transcript. */
  provisional: Found | null
  trace: Spot | 'provisional' | null
  isAbandoned: boolean
}

/** Words that were sent to another session, without the words. */
export interface SendItem extends Omit<FoundSend, 'words' | 'line' | 'offset' | 'row'> {
  sha256: string
  place: Place
}

export interface BadLine {
  file: string
  line: number
  reason: string
}

export interface Loaded {
  items: Item[]
  /** Of each item; they are long, and needed no more once the items are grouped. */
  keys: string[][]
  sends: SendItem[]
  badLines: BadLine[]
}

/** Loads what extracts hold, all but the words. */
export function loadExtracts(extracts: Extract[], digest: (words: string) => string): Loaded {
  const loaded: Loaded = { items: [], keys: [], sends: [], badLines: [] }
  const shared = new Map<string, string>()
  for (const extract of extracts) loadExtract(extract, { digest, shared }, loaded)
  return { ...loaded, sends: withoutCopies(loaded.sends, extracts) }
}

/**
 * A copied transcript holds the rows of its original: what they sent was sent once. Where nothing tells which of two is
 * the copy, both may be the sender.
 */
function withoutCopies(sends: SendItem[], extracts: Extract[]): SendItem[] {
  const copies = new Set(
    extracts.filter(({ whole }) => whole.derivedFrom.length > 0).map(({ whole }) => whole.file),
  )
  const isCopy = ({ place }: SendItem) => copies.has(place.file)
  const originals = new Map<string, SendItem[]>()
  for (const send of sends.toSorted((a, b) => Number(isCopy(a)) - Number(isCopy(b)))) {
    const key = `${send.msgId}\n${send.place.row}`
    const same = originals.get(key)
    if (same === undefined) originals.set(key, [send])
    else if (!isCopy(send) && same.every(({ session }) => session !== send.session)) same.push(send)
  }
  return [...originals.values()].flat()
}

interface Loader {
  digest(words: string): string
  /** Texts that many items have in common, each kept once. */
  shared: Map<string, string>
}

function loadExtract(extract: Extract, { digest, shared }: Loader, loaded: Loaded): void {
  const { whole } = extract
  if (whole.product === null) return
  const { file, product } = whole
  const bySeq = new Map<number, Item>()
  const keysOf = new Map<Item, string[]>()
  const once = <Text extends string>(text: Text): Text => {
    const known = shared.get(text)
    if (known === undefined) shared.set(text, text)
    return (known ?? text) as Text
  }
  // Written out: an object that is spread together is a hash table to V8, which takes four times the memory.
  const toItem = (found: Found, spot: Spot | null): Item => ({
    id: '',
    extract,
    seq: found.seq,
    label: once(found.label),
    confidence: once(found.confidence),
    kind: once(found.kind),
    saysNothing: found.saysNothing === true,
    sha256: digest(found.words),
    at: found.at,
    session: once(found.session),
    cwd: found.cwd === null ? null : once(found.cwd),
    product,
    place: { file, line: found.line, offset: found.offset, row: found.row },
    also: [],
    spot,
    provisional: spot === null ? found : null,
    trace: null,
    isAbandoned: false,
  })
  const add = (found: Found, spot: Spot | null): Item => {
    const item = toItem(found, spot)
    keysOf.set(item, found.keys)
    return item
  }
  for (const { finding, spot } of findingsOf(extract)) {
    switch (finding.is) {
      case 'message': {
        bySeq.set(finding.seq, add(finding, spot))
        break
      }
      case 'also': {
        const { line, offset, row } = finding
        bySeq.get(finding.seq)?.also.push({ file, line, offset, row })
        break
      }
      case 'key': {
        const item = bySeq.get(finding.seq)
        if (item) keysOf.get(item)?.push(finding.key)
        break
      }
      case 'trace': {
        const item = bySeq.get(finding.seq)
        if (item) item.trace = spot
        break
      }
      case 'abandoned': {
        const item = bySeq.get(finding.seq)
        if (item) item.isAbandoned = true
        break
      }
      case 'send': {
        const { words, line, offset, row, msgId, session, at } = finding
        loaded.sends.push({ msgId, session, at, sha256: digest(words), place: { file, line, offset, row } })
        break
      }
      case 'bad-line':
        loaded.badLines.push({ file, line: finding.line, reason: finding.reason })
    }
  }
  for (const [seq] of whole.provisional.traces) {
    const item = bySeq.get(seq)
    if (item && item.trace === null) item.trace = 'provisional'
  }
  for (const { also, isAbandoned, ...found } of whole.provisional.messages) {
    const item = add({ seq: -1, ...found }, null)
    item.isAbandoned = isAbandoned ?? false
    item.also = also.map(place => ({ file, ...place }))
  }
  for (const [item, keys] of keysOf) {
    item.id = createHash('sha256').update(`${product}\n${keys[0]}`).digest().toString('hex', 0, 8)
    loaded.items.push(item)
    loaded.keys.push(keys)
  }
}

/** An extract that was deleted or damaged, or replaced by another scan, since it was made. */
export class LostExtract extends Error {
  readonly extract: Extract

  constructor(extract: Extract, cause?: unknown) {
    super('an extract is not what it was', { cause })
    this.extract = extract
  }
}

/** @throws LostExtract */
function* findingsOf(extract: Extract): Generator<{ finding: Finding; spot: Spot }> {
  const { bytes: end, sha256 } = extract.whole.findings
  const seen = createHash('sha256')
  try {
    const fd = openSync(extract.path, 'r')
    try {
      for (const { offset, length, bytes } of readLines(piecesOf(fd, end, seen), { offset: 0, lines: 0 })) {
        if (bytes === null) continue
        const finding = JSON.parse(bytes.toString('utf8')) as Finding
        yield { finding, spot: { extract, position: offset, length } }
      }
    } finally {
      closeSync(fd)
    }
  } catch (cause) {
    throw new LostExtract(extract, cause)
  }
  if (seen.digest('hex') !== sha256) throw new LostExtract(extract)
}

const PIECE = 1 << 20

function* piecesOf(fd: number, end: number, seen: Hash): Generator<Buffer> {
  for (let at = 0; at < end; at += PIECE) {
    const piece = readAt(fd, at, Math.min(PIECE, end - at))
    seen.update(piece)
    yield piece
  }
}
