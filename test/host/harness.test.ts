import { describe, expect, test } from 'vitest'
import { messagesApi } from './support/messages-api.ts'
import { call, script, textSent } from './support/model-script.ts'
import { probeMod } from './support/probe-mod.ts'
import { newProfile } from './support/profile.ts'
import { interactive, print, stream } from './support/session.ts'

async function bench() {
  const api = await messagesApi()
  return { api, profile: newProfile({ api }), probe: probeMod() }
}

describe('one session', () => {
  test('a -p session answers through the mock', async () => {
    const { api, profile, probe } = await bench()
    const printed = await print('hello there', { profile, pluginDirs: [probe.dir] })
    expect(printed).toMatchObject({ code: 0, text: 'ok' })
    expect(api.requests(printed.sessionId)).toHaveLength(1)
    const [request] = api.requests()
    expect(request && textSent(request.body)).toContain('hello there')
    expect(request?.body.tools?.map(tool => tool.name)).toContain('mcp__probe__note')
  })
})
