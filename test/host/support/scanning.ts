import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { holdsWords, listsWords } from '../../../src/scan/check/find-words.ts'
import type { RecordLookup } from '../../../src/scan/merge/record-lookup.ts'
import type { Message, Place, Trace } from '../../../src/scan/message.ts'
import { type ScanWork, scanTranscripts } from '../../../src/scan/scan.ts'
import { endingFolder } from './endings.ts'
import type { MessagesApi } from './messages-api.ts'
import { type MessageRequest, script, scriptedAnswer, type ToolCall } from './model-script.ts'
import type { Profile } from './profile.ts'
import { waitFor } from './wait-for.ts'

export type Told = Message & { end: Trace['end'] | null }

/** A scan of whole profiles, all anew unless it is given a folder for what it keeps. */
export function scan(
  profiles: Profile[],
  { record = null, cacheDir = endingFolder() }: { record?: RecordLookup | null; cacheDir?: string } = {},
): { messages: Told[]; work: ScanWork; sources: ReturnType<typeof scanTranscripts>['sources'] } {
  const claude = profiles.map(profile => profile.config)
  const { messages, work, sources } = scanTranscripts({
    options: { claude, codex: [], project: null, since: null, until: null, recordDir: null },
    cacheDir,
    revision: 'test',
    record,
  })
  const told = [...messages()].map(({ message, trace }) => ({ ...message, end: trace?.end ?? null }))
  for (const { words, source, alsoAt } of told)
    for (const place of [source, ...alsoAt]) expectAt(place, words)
  return { messages: told, work, sources }
}

/** rule.completeOrLabelled: the final check finds the words again in every row that is named for them. */
function expectAt({ file, offset }: Place, words: string): void {
  const bytes = readFileSync(file).subarray(offset)
  const row: unknown = JSON.parse(bytes.subarray(0, bytes.indexOf(0x0a)).toString('utf8'))
  const isThere = file.endsWith('history.jsonl') ? listsWords(row, words) : holdsWords(row, words)
  if (!isThere) throw new Error(`${file} at ${offset} does not hold ${JSON.stringify(words)}`)
}

/** What of a message most tests are about: `person/high/typed: words`. */
export function inShort({ label, confidence, kind, words }: Message): string {
  return `${label}/${confidence}/${kind}: ${words}`
}

/** What a scan of a profile finds, but for what the host put there itself. */
export function wordsIn(profile: Profile): string[] {
  return scan([profile])
    .messages.filter(message => message.label !== 'notice')
    .map(inShort)
}

/** Waits until a scan of a profile finds all of these, and gives everything but notices. */
export function waitForWords(profile: Profile, ...expected: string[]): Promise<string[]> {
  let found: string[] = []
  return waitFor(
    () => {
      found = wordsIn(profile)
      return expected.every(one => found.includes(one)) && found
    },
    { what: `a scan to find ${expected.join(' and ')}`, seen: () => found.join('\n') },
  )
}

/** The transcripts of a profile. */
export function transcripts(profile: Profile): string[] {
  const folder = join(profile.config, 'projects')
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.jsonl'))
    .map(name => join(folder, name))
    .sort()
}

/** Waits until a transcript of the profile holds a text. */
export async function written(profile: Profile, text: string): Promise<void> {
  await waitFor(() => transcripts(profile).some(file => readFileSync(file, 'utf8').includes(text)), {
    what: `a transcript to hold ${text}`,
  })
}

/** Lets prompts of plain words stand for scripts, and turns be held open. */
export function plainPrompts(api: MessagesApi) {
  const scripts = new Map<string, string>()
  let held: Promise<void> | undefined
  api.answer = async ({ body }) => {
    const blocks = scriptedAnswer({ ...body, messages: body.messages.map(spelledOut) })
    if (body.tools?.length) await held
    return blocks
  }
  const spelled = (text: string | undefined) => scripts.get(text ?? '') ?? text
  const spelledOut = (message: MessageRequest['messages'][number]) => ({
    ...message,
    content:
      typeof message.content === 'string'
        ? (spelled(message.content) as string)
        : message.content.map(part =>
            part.type === 'text' ? { ...part, text: spelled(part.text) as string } : part,
          ),
  })
  return {
    /** This prompt makes the model do these steps. */
    means(prompt: string, ...steps: (ToolCall | ToolCall[])[]): string {
      scripts.set(prompt, script(...steps))
      return prompt
    },
    /** Holds every answer back until what it returns is called. */
    hold(): () => void {
      let letGo = () => {}
      held = new Promise(resolve => {
        letGo = resolve
      })
      return () => {
        held = undefined
        letGo()
      }
    },
  }
}
