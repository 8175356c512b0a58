import { createHash } from 'node:crypto'
import type { Extract, Finding } from '../extract/extract.ts'
import type { Found } from '../extract/found.ts'
import type { Product } from '../message.ts'
import { findingsOf } from './findings-of.ts'
import type { BadLine, Item, SendItem, Spot } from './item.ts'
import { originalSends } from './original-sends.ts'

export interface Loaded {
  items: Item[]
  /** Of each item; they are long, and needed no more once the items are grouped. */
  keys: string[][]
  sends: SendItem[]
  badLines: BadLine[]
}

/**
 * Loads what extracts hold, all but the words.
 *
 * @throws LostExtract where one is not what it was
 */
export function loadExtracts(extracts: Extract[], digest: (words: string) => string): Loaded {
  const loaded: Loaded = { items: [], keys: [], sends: [], badLines: [] }
  const loader: Loader = { digest, once: eachOnce() }
  for (const extract of extracts) loadExtract(extract, loader, loaded)
  return { ...loaded, sends: originalSends(loaded.sends, extracts) }
}

interface Loader {
  digest(words: string): string
  /** A text that many items have in common, kept once for all of them. */
  once<Text extends string>(text: Text): Text
}

function eachOnce(): Loader['once'] {
  const texts = new Map<string, string>()
  return <Text extends string>(text: Text): Text => {
    const known = texts.get(text)
    if (known === undefined) texts.set(text, text)
    return (known ?? text) as Text
  }
}

/** An item whose extract is still being loaded, with the keys that it has so far. */
interface Loading {
  item: Item
  keys: string[]
}

function loadExtract(extract: Extract, loader: Loader, loaded: Loaded): void {
  const { file, product, provisional } = extract.whole
  if (product === null) return
  const bySeq = new Map<number, Loading>()
  for (const { finding, spot } of findingsOf(extract)) {
    if (finding.is === 'message') {
      const item = itemOf(finding, spot, extract, product, loader)
      bySeq.set(finding.seq, { item, keys: finding.keys })
    } else if (finding.is === 'send') {
      const { words, line, offset, row, msgId, session, at } = finding
      const sha256 = loader.digest(words)
      loaded.sends.push({ msgId, session, at, sha256, place: { file, line, offset, row } })
    } else if (finding.is === 'bad-line') {
      loaded.badLines.push({ file, line: finding.line, reason: finding.reason })
    } else {
      const loading = bySeq.get(finding.seq)
      if (loading) addTo(loading, finding, spot)
    }
  }
  for (const [seq, trace] of provisional.traces) {
    const item = bySeq.get(seq)?.item
    if (item && item.trace === null) item.trace = { provisional: trace }
  }
  for (const { item, keys } of bySeq.values()) take(item, keys, loaded)
  for (const { also, isAbandoned, ...found } of provisional.messages) {
    const item = itemOf({ seq: -1, ...found }, null, extract, product, loader)
    item.isAbandoned = isAbandoned ?? false
    item.also = also.map(place => ({ file, ...place }))
    take(item, found.keys, loaded)
  }
}

/** What is found of a message after its words. */
type Later = Exclude<Finding, { is: 'message' | 'send' | 'bad-line' }>

function addTo({ item, keys }: Loading, finding: Later, spot: Spot): void {
  switch (finding.is) {
    case 'also': {
      const { line, offset, row } = finding
      item.also.push({ file: item.place.file, line, offset, row })
      return
    }
    case 'key':
      keys.push(finding.key)
      return
    case 'trace':
      item.trace = spot
      return
    case 'abandoned':
      item.isAbandoned = true
  }
}

/** The first key alone makes the id: later ones come from rows that may not be there yet. */
function take(item: Item, keys: string[], loaded: Loaded): void {
  item.id = createHash('sha256').update(`${item.product}\n${keys[0]}`).digest().toString('hex', 0, 8)
  loaded.items.push(item)
  loaded.keys.push(keys)
}

function itemOf(
  found: Found,
  spot: Spot | null,
  extract: Extract,
  product: Product,
  { digest, once }: Loader,
): Item {
  // Written out: an object that is spread together is a hash table to V8, which takes four times the memory.
  return {
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
    place: { file: extract.whole.file, line: found.line, offset: found.offset, row: found.row },
    also: [],
    spot,
    provisional: spot === null ? found : null,
    trace: null,
    isAbandoned: false,
  }
}
