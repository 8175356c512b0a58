import { expect, test } from 'vitest'
import { endOf, startChild } from '../test/host/support/child.ts'
import { PLUGIN } from '../test/host/support/coordination.ts'
import { messagesApi } from '../test/host/support/messages-api.ts'
import { pluginDir } from '../test/host/support/plugin-dir.ts'
import { newProfile, type Profile } from '../test/host/support/profile.ts'

const ROUNDS = 10

/** The shell counts what the host and all that it started and awaited have used. */
const COUNTED = ['sh', '-c', '"$0" "$@" || exit; times >&2']

/**
 * What a plugin adds to the start of the host: the processor time, user and system, of `claude -p hi` without a plugin,
 * with a mod of one hook, and with this plugin. The three take turns; the times are printed and nothing is asserted of them.
 */
test('claude -p hi: no plugin, a mod of one hook, this plugin', async () => {
  const api = await messagesApi()
  const oneHook = pluginDir({
    name: 'one-hook',
    module: `export function register(on) {
  on('session.start', ($, e, next) => next(e))
}`,
  })
  const ways = [
    { name: 'no plugin', pluginDirs: [], profile: newProfile({ api }) },
    { name: 'a mod of one hook', pluginDirs: [oneHook], profile: newProfile({ api }) },
    { name: 'this plugin', pluginDirs: [PLUGIN], profile: newProfile({ api }) },
  ].map(way => ({ ...way, seconds: [] as number[] }))
  for (const way of ways) await secondsOf(way)
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of ways) way.seconds.push(await secondsOf(way))
  }
  for (const { name, seconds } of ways)
    console.log(
      `${name.padEnd(18)} ${median(seconds).toFixed(3)} s (${seconds.map(one => one.toFixed(2)).join(' ')})`,
    )
  const [, least, ours] = ways.map(({ seconds }) => median(seconds)) as [number, number, number]
  console.log(
    `this plugin / a mod of one hook = ${(ours / least).toFixed(2)}, ${(ours - least).toFixed(3)} s more`,
  )
})

async function secondsOf({
  profile,
  pluginDirs,
}: {
  profile: Profile
  pluginDirs: string[]
}): Promise<number> {
  const plugins = pluginDirs.flatMap(dir => ['--plugin-dir', dir])
  const child = startChild({ profile, under: COUNTED }, ['-p', 'hi', ...plugins], 'ignore')
  expect(await endOf(child, 'claude -p hi'), child.told()).toBe(0)
  const [, ofChildren] = child.stderr().trim().split('\n').slice(-2)
  const times = [...(ofChildren ?? '').matchAll(/(\d+)m([\d.]+)s/g)]
  expect(times, child.told()).toHaveLength(2)
  return times.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0)
}

function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle - 1)] as number)) / 2
}
