import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { endingFolder } from './support/endings.ts'
import { messagesApi } from './support/messages-api.ts'
import { call } from './support/model-script.ts'
import { newProfile, type Profile } from './support/profile.ts'
import { plainPrompts, scan, transcripts, written } from './support/scanning.ts'
import { interactive, stream } from './support/session.ts'
import { waitFor } from './support/wait-for.ts'

async function bench() {
  const api = await messagesApi()
  return { api, profile: newProfile({ api }), ...plainPrompts(api) }
}

const bash = (command: string) => call('Bash', { command, description: 'd' })

/** Every transcript and list of prompts, and whatever lies beside them, with bytes and times. */
function everything(profile: Profile) {
  const projects = readdirSync(join(profile.config, 'projects'), { recursive: true, withFileTypes: true })
  const files = projects.filter(one => one.isFile()).map(one => join(one.parentPath, one.name))
  return [...files, join(profile.config, 'history.jsonl')].sort().map(file => {
    const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true })
    return { file, ino, size, mtimeNs, ctimeNs, bytes: readFileSync(file, 'latin1') }
  })
}

/** Everything, once the host has written nothing for a while: it notes its state a moment after what a person does. */
function everythingSettled(profile: Profile) {
  let last = everything(profile)
  let since = performance.now()
  return waitFor(
    () => {
      const now = everything(profile)
      if (!isDeepStrictEqual(now, last)) since = performance.now()
      last = now
      return performance.now() - since > 1_500 && now
    },
    { what: 'the host to have written what it had to' },
  )
}

/** Runs the built program without holding up the API, which answers in this process. */
function coord(profile: Profile, ...args: string[]): Promise<number | null> {
  const env = { ...process.env, ...profile.env, COORD_RECORD_DIR: join(profile.dir, 'no-record') }
  const child = spawn(process.execPath, [resolve('dist/coord.js'), ...args], { env, stdio: 'ignore' })
  return new Promise(done => child.on('close', done))
}

test('rule.readOnly: a scan while a session runs changes no byte, starts no session and asks no model', async () => {
  const { api, profile, means, hold } = await bench()
  const session = await interactive({ profile, permissionMode: 'manual', allowedTools: ['Bash'] })
  const letGo = hold()
  await session.submit(means('work', bash('echo 1'), bash('echo 2')))
  await session.waitForScreen('esc to interrupt')
  await session.write('said while it runs')
  session.press('enter')
  await written(profile, '"operation":"enqueue"')
  const before = await everythingSettled(profile)
  const requests = api.requests().length
  const registered = profile.registered()
  const cacheDir = endingFolder()
  const first = scan([profile], { cacheDir })
  expect(await coord(profile, 'scan', join(endingFolder(), 'out'), '--claude', profile.config)).toBe(0)
  expect(everything(profile)).toEqual(before)
  expect(profile.registered()).toEqual(registered)
  expect(api.requests()).toHaveLength(requests)
  expect(first.messages.map(one => [one.label, one.kind, one.words, one.end])).toEqual([
    ['person', 'typed', 'work', 'unknown'],
    ['unresolved', 'queued_not_delivered', 'said while it runs', 'unknown'],
  ])

  // It goes on as if nobody had looked, and the next scan finds the rest.
  letGo()
  await written(profile, 'done: 2')
  await session.idle()
  const second = scan([profile], { cacheDir })
  expect(second.messages.map(one => [one.label, one.kind, one.words, one.end])).toEqual([
    ['person', 'typed', 'work', 'done'],
    ['person', 'queued_mid_turn', 'said while it runs', 'done'],
  ])
  expect(second.messages[0]?.id).toBe(first.messages[0]?.id)
  const [file] = transcripts(profile)
  expect(statSync(file as string).ino).toBe(Number(before.find(one => one.file === file)?.ino))
  expect(second.work).toMatchObject({ read: 0 })
  expect(second.work.resumed).toBeGreaterThanOrEqual(1)
})

test('rule.completeOrLabelled: a transcript that grows while it is scanned is read whole, line by line, and none twice', async () => {
  const { profile } = await bench()
  const session = await stream({ profile })
  const prompts = Array.from({ length: 30 }, (_, n) => `prompt ${n} ${'x'.repeat(20_000)}`)
  const cacheDir = endingFolder()
  let asked = Promise.resolve()
  for (const prompt of prompts) asked = asked.then(() => session.ask(prompt)).then(() => {})
  let isDone = false
  asked = asked.finally(() => {
    isDone = true
  })
  const seen: number[] = []
  while (!isDone) {
    const { messages, sources } = scan([profile], { cacheDir })
    const found = messages.map(one => one.words)
    expect(found.filter(words => words.startsWith('prompt'))).toEqual(prompts.slice(0, found.length))
    for (const source of sources) expect(source.counts.malformed).toBe(0)
    seen.push(found.length)
    await new Promise(done => setTimeout(done, 5))
  }
  await asked
  expect(new Set(seen).size).toBeGreaterThan(3)
  expect(seen).toEqual([...seen].sort((a, b) => a - b))
  const last = scan([profile], { cacheDir })
  expect(last.messages.map(one => `${one.label} ${one.words}`)).toEqual(
    prompts.map(words => `launcher ${words}`),
  )
  // What was kept between the scans says the same as reading it all anew.
  expect(last.messages).toEqual(scan([profile]).messages)
})
