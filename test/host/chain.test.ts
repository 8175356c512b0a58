import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { joinNotice } from '../../src/record/join-notice.ts'
import { arriving, entriesOf, PLUGIN, recordOf } from './support/coordination.ts'
import { type MessagesApi, messagesApi } from './support/messages-api.ts'
import { call, script, type ToolCall, textSent } from './support/model-script.ts'
import { newProfile } from './support/profile.ts'
import { type SessionOptions, type StreamSession, stream } from './support/session.ts'
import { waitFor } from './support/wait-for.ts'

const JOIN = 'mcp__coordination__chain_join'
const TREE = 'mcp__coordination__chain_tree'

/** A profile whose sessions have the plugin and take messages. */
async function bench() {
  const api = await messagesApi()
  const profile = newProfile({ api })
  const record = recordOf(profile)
  const start = (options: Partial<SessionOptions> = {}) =>
    stream({
      profile,
      pluginDirs: [PLUGIN],
      settings: { crossSessionInbound: 'accept' },
      allowedTools: [JOIN, TREE, 'SendMessage', 'Agent', 'Workflow'],
      ...options,
    })
  return { api, profile, record, start }
}

const joinCall = (parent: string, part: string, brief?: string): ToolCall =>
  call(JOIN, { parent, part, ...(brief === undefined ? {} : { brief }) })

/** Lets a session join a living one; gives what the tool said. */
async function joins(
  record: string,
  lead: StreamSession,
  parent: StreamSession,
  part: string,
): Promise<string> {
  const ask = () => lead.ask(script(joinCall(parent.sessionId(), part)))
  return (await arriving(record, parent, ask)).result
}

const treeAt = async (session: StreamSession): Promise<string> =>
  (await session.ask(script(call(TREE)))).result.replace(/^done: /, '')

/** Waits until the model of a session, or of one of its agents, has been sent a text. */
const isSent = (api: MessagesApi, session: StreamSession, text: string) =>
  waitFor(() => api.requests(session.sessionId()).some(one => textSent(one.body).includes(text)), {
    what: `the model to be sent ${text}`,
    seen: () => JSON.stringify(session.events()),
  })

/** The lines of one session in a tree: its head and what is said of it. */
function nodeIn(tree: string, sessionId: string): string {
  const lines = tree.split('\n')
  const at = lines.findIndex(line => line.includes(sessionId))
  return at < 0 ? '' : lines.slice(at, at + 2).join('\n')
}

/** All files of a record, by folder. */
function filesOf(record: string): string[] {
  if (!existsSync(record)) return []
  return readdirSync(record).flatMap(folder =>
    readdirSync(join(record, folder)).map(name => `${folder}/${name}`),
  )
}

test("criterion: a lead whose brief names the parent joins; the parent's chain_tree lists it with its part, and the parent's folder holds the join message", async () => {
  const { record, start } = await bench()
  const [parent, lead] = [await start(), await start()]
  const said = await arriving(record, parent, () =>
    lead.ask(script(joinCall(parent.sessionId(), 'the index', '/briefs/index.md'))),
  )
  expect(said.result).toContain(`Joined as a lead of ${parent.sessionId()}. Part: the index`)
  expect(said.result).toContain('was delivered')
  expect(said.result).not.toMatch(/not delivered|grown a level/i)
  const tree = await treeAt(parent)
  expect(tree).toMatch(new RegExp(`^top ${parent.sessionId()}( ← this session)?$`, 'm'))
  expect(tree).toMatch(new RegExp(`^└─.lead ${lead.sessionId()}( ← this session)? {2}the index$`, 'm'))
  expect(tree).not.toContain('!')
  const notice = joinNotice({ sessionId: lead.sessionId(), part: 'the index' })
  expect(entriesOf(record, parent.sessionId(), 'message')).toMatchObject([
    { side: 'received', text: notice, peer: { sessionId: lead.sessionId() }, outcome: 'queued' },
  ])
  expect(entriesOf(record, lead.sessionId(), 'message')).toMatchObject([
    { side: 'sent', text: notice, peer: { sessionId: parent.sessionId() }, isQueued: true },
  ])
  expect(entriesOf(record, lead.sessionId(), 'chain')).toMatchObject([
    { parent: parent.sessionId(), part: 'the index', brief: '/briefs/index.md' },
  ])
})

test('rule.reportsArePlainMessages: a lead reports by what joining told it, and a correction goes down by what the tree shows', async () => {
  const { api, record, start } = await bench()
  const [parent, lead] = [await start({ name: 'planner' }), await start({ name: 'parser' })]
  const said = await joins(record, lead, parent, 'the index')
  expect(said).toContain(`This session is ${lead.sessionId()}.`)
  const [, name, address] = /no session id: (\S+) or (uds:\S+) \(as of /.exec(said) ?? []
  expect([name, address]).toEqual(['planner', parent.address()])
  for (const [to, message] of [
    [name, 'found two faults'],
    [address, 'and mended one'],
  ] as const) {
    const report = call('SendMessage', { to, summary: 'report', message })
    await arriving(record, parent, () => lead.ask(script(report)))
    await isSent(api, parent, message)
  }
  const [, down] = /reached now as (\S+) or /.exec(nodeIn(await treeAt(parent), lead.sessionId())) ?? []
  expect(down).toBe('parser')
  const correction = call('SendMessage', { to: down, summary: 'correction', message: 'mend both' })
  await arriving(record, lead, () => parent.ask(script(correction)))
  await isSent(api, lead, 'mend both')
  // What the guidance warns of: an id is no address.
  const byId = await lead.ask(
    script(call('SendMessage', { to: parent.sessionId(), summary: 's', message: 'x' })),
  )
  expect(byId.result).toMatch(/No agent named/)
  const texts = entriesOf(record, parent.sessionId(), 'message').map(one => one.text)
  expect(texts.slice(1)).toEqual(['found two faults', 'and mended one', 'mend both'])
})

test('rule.joinTellsParent: one short message that names the session id and the part reaches the parent', async () => {
  const { api, record, start } = await bench()
  const [parent, lead] = [await start(), await start()]
  await joins(record, lead, parent, 'the index')
  const [received, ...more] = entriesOf(record, parent.sessionId(), 'message')
  expect(more).toEqual([])
  expect(received.text).toContain(lead.sessionId())
  expect(received.text).toContain('the index')
  expect(received.text.length).toBeLessThan(300)
  const [request] = api.requests(parent.sessionId())
  expect(request && textSent(request.body)).toContain(received.text)
})

test('rule.reportsArePlainMessages: the mark is "no" after the join, and "yes" after a message to the session id of the parent', async () => {
  const { record, start } = await bench()
  const [parent, lead] = [await start(), await start({ name: 'lead' })]
  await joins(record, lead, parent, 'the index')
  expect(nodeIn(await treeAt(parent), lead.sessionId())).toMatch(
    /sent its parent a message since it joined: no(;|$)/,
  )
  const report = call('SendMessage', { to: parent.address(), summary: 'report', message: 'found two faults' })
  await arriving(record, parent, () => lead.ask(script(report)))
  for (const session of [parent, lead]) {
    expect(nodeIn(await treeAt(session), lead.sessionId())).toMatch(
      /last heard \S+ \(.*\); sent its parent a message since it joined: yes(;|$)/,
    )
  }
  expect(entriesOf(record, parent.sessionId(), 'message').map(one => one.text)).toEqual([
    expect.any(String),
    'found two faults',
  ])
})

test('criterion: a join with a parent id that no session holds says not delivered, and the chain still shows the lead', async () => {
  const { record, start } = await bench()
  const lead = await start()
  const nobody = randomUUID()
  const { result: said } = await lead.ask(script(joinCall(nobody, 'the index')))
  expect(said).toMatch(/NOT delivered/)
  expect(said).toMatch(/Say so in your first words to the person/)
  expect(said).not.toMatch(/was delivered/)
  const tree = await treeAt(lead)
  expect(tree).toMatch(new RegExp(`^boundary ${nobody}$`, 'm'))
  expect(tree).toContain('unresolved')
  expect(tree).toMatch(new RegExp(`lead ${lead.sessionId()}( ← this session)? {2}the index$`, 'm'))
  expect(entriesOf(record, lead.sessionId(), 'chain')).toMatchObject([{ parent: nobody, part: 'the index' }])
  expect(entriesOf(record, lead.sessionId(), 'message')).toMatchObject([
    { side: 'sent', isQueued: false, reason: expect.any(String) },
  ])
  expect(existsSync(join(record, nobody))).toBe(false)
})

test('criterion: a parent whose records are not on this machine is an unresolved boundary', async () => {
  const { record, start } = await bench()
  // Reachable, but without the plugin: it has no records, as one on another machine has none here.
  const [parent, lead] = [await start({ pluginDirs: [] }), await start()]
  expect(await joins(record, lead, parent, 'the index')).toContain('was delivered')
  expect(existsSync(join(record, parent.sessionId()))).toBe(false)
  const tree = await treeAt(lead)
  expect(nodeIn(tree, parent.sessionId())).toMatch(/^boundary .*\n.*unresolved/)
  expect(tree).not.toMatch(/^top /m)
  expect(nodeIn(tree, lead.sessionId())).toContain('the index')
})

test('rule.treeFromEntries: a parent that never declared and has records here is a top with no part', async () => {
  const { record, start } = await bench()
  const [parent, lead] = [await start(), await start()]
  await joins(record, lead, parent, 'the index')
  expect(await treeAt(lead)).toMatch(new RegExp(`^top ${parent.sessionId()}( ← this session)?$`, 'm'))
})

test('criterion: a third session under the lead is shown with the notice about depth', async () => {
  const { record, start } = await bench()
  const [top, lead, third] = [await start(), await start(), await start()]
  await joins(record, lead, top, 'the index')
  const said = await joins(record, third, lead, 'its tests')
  expect(said).toContain('was delivered')
  expect(said).toMatch(/grown a level/)
  for (const session of [top, lead, third]) {
    const tree = await treeAt(session)
    expect(tree).toMatch(new RegExp(`^top ${top.sessionId()}( ← this session)?$`, 'm'))
    expect(tree).toMatch(new RegExp(`^└─.lead ${lead.sessionId()}`, 'm'))
    expect(tree).toMatch(new RegExp(`^\\s+└─.lead ${third.sessionId()}( ← this session)? {2}its tests$`, 'm'))
    const notices = tree.split('\n').filter(line => line.startsWith('! '))
    expect(notices).toHaveLength(1)
    expect(notices[0]).toContain('grown a level')
    expect(notices[0]).toContain(third.sessionId())
  }
})

test('criterion: the join is refused from an agent of a lead, and the chain does not change', async () => {
  const { api, record, start } = await bench()
  const [parent, lead] = [await start(), await start()]
  await joins(record, lead, parent, 'the index')
  const before = filesOf(record)
  const prompt = script(joinCall(parent.sessionId(), 'as an agent'))
  const agent = { description: 'joins', subagent_type: 'general-purpose', prompt }
  lead.send(script(call('Agent', agent)))
  await isSent(api, lead, 'an agent or a Workflow role never joins')
  expect(filesOf(record)).toEqual(before)
  const tree = await treeAt(parent)
  expect(tree).not.toContain('as an agent')
  expect(tree.match(/\blead /g)).toHaveLength(1)
})

test('rule.agentsAreNotMembers: the join is refused from a Workflow role, and the chain does not change', async () => {
  const { api, record, start } = await bench()
  const [parent, lead] = [await start(), await start()]
  await joins(record, lead, parent, 'the index')
  const before = filesOf(record)
  const prompt = script(joinCall(parent.sessionId(), 'as a role'))
  const workflow = `export const meta = { name: 'joins', description: 'joins', phases: [{ title: 'One' }] }
await agent(${JSON.stringify(prompt)}, { label: 'role-one', phase: 'One' })`
  lead.send(script(call('Workflow', { script: workflow })))
  await isSent(api, lead, 'an agent or a Workflow role never joins')
  expect(filesOf(record)).toEqual(before)
  expect(await treeAt(parent)).not.toContain('as a role')
})

test('criterion: an agent inside the lead never appears in the chain', async () => {
  const { api, record, start } = await bench()
  const [parent, lead] = [await start(), await start()]
  await joins(record, lead, parent, 'the index')
  const agent = { description: 'looks', subagent_type: 'general-purpose', prompt: script(call(TREE)) }
  lead.send(script(call('Agent', agent)))
  // What the tool tells the agent is the chain of the session that it works in.
  await isSent(api, lead, `lead ${lead.sessionId()}`)
  const tree = await treeAt(parent)
  expect(tree.match(/\b(top|lead|boundary) [0-9a-f-]{36}/g)).toEqual([
    `top ${parent.sessionId()}`,
    `lead ${lead.sessionId()}`,
  ])
  expect(readdirSync(record).sort()).toEqual([parent.sessionId(), lead.sessionId()].sort())
})

test('criterion: a session that joins under itself, an ill-formed id and a part of two lines are refused, and the record does not change', async () => {
  const { record, start } = await bench()
  const session = await start()
  const own = session.sessionId()
  await treeAt(session)
  const before = filesOf(record)
  const refused: [unknown, RegExp][] = [
    [{ parent: own, part: 'x' }, /cannot be its own parent/],
    [{ parent: '../../etc/x', part: 'x' }, /not a full session id/],
    [{ parent: '', part: 'x' }, /not a full session id/],
    [{ parent: randomUUID(), part: 'one\ntwo' }, /more than one line/],
    [{ parent: randomUUID(), part: 'one\u2028two' }, /more than one line/],
    [{ parent: randomUUID(), part: 'one\rtwo' }, /more than one line/],
    [{ parent: randomUUID(), part: '  ' }, /part is missing/],
    [{ parent: randomUUID() }, /part/],
    [{ parent: randomUUID(), part: 'x', brief: 7 }, /brief/],
  ]
  for (const [input, why] of refused) {
    const { result } = await session.ask(script(call(JOIN, input)))
    expect(result, JSON.stringify(input)).toMatch(why)
    expect(result).not.toMatch(/Joined as/)
    expect(filesOf(record), JSON.stringify(input)).toEqual(before)
  }
  expect(await treeAt(session)).toMatch(new RegExp(`^top ${own} ← this session$`, 'm'))
})

test('rule.joinRefusals: the first part of a session id is no full id', async () => {
  const { record, start } = await bench()
  const [parent, lead] = [await start(), await start()]
  await waitFor(() => filesOf(record).length === 2, { what: 'both start entries' })
  const before = filesOf(record)
  const { result } = await lead.ask(script(joinCall(parent.sessionId().slice(0, 8), 'x')))
  expect(result).not.toContain('was delivered')
  expect(result).toMatch(/not a full session id|NOT delivered/)
  if (!/NOT delivered/.test(result)) expect(filesOf(record)).toEqual(before)
})

test('criterion: A under B and B under A: /chain terminates and flags the cycle', async () => {
  const { record, start } = await bench()
  const [a, b] = [await start(), await start()]
  await joins(record, a, b, 'part of A')
  await joins(record, b, a, 'part of B')
  for (const session of [a, b]) {
    const tree = (await session.ask('/chain')).result.replace(/^coordination: /, '')
    const flagged = tree.split('\n').filter((line: string) => line.startsWith('! a cycle'))
    expect(flagged, tree).toHaveLength(1)
    expect(flagged[0]).toContain(a.sessionId())
    expect(flagged[0]).toContain(b.sessionId())
    expect(tree).not.toMatch(/^(top|lead|boundary) /m)
  }
})

test('rule.laterJoinReplaces: a second join replaces the first for display, and the record keeps both', async () => {
  const { record, start } = await bench()
  const [one, two, lead] = [await start(), await start(), await start()]
  await joins(record, lead, one, 'first part')
  await joins(record, lead, two, 'second part')
  const tree = await treeAt(lead)
  expect(tree).toContain(two.sessionId())
  expect(tree).toContain('second part')
  expect(tree).not.toContain(one.sessionId())
  expect(tree).not.toContain('first part')
  expect(await treeAt(one)).not.toContain(lead.sessionId())
  expect(entriesOf(record, lead.sessionId(), 'chain')).toMatchObject([
    { parent: one.sessionId(), part: 'first part' },
    { parent: two.sessionId(), part: 'second part' },
  ])
})

test('rule.joinTellsParent: two joins in one step send each parent its own notice, and the record says so', async () => {
  const { record, start } = await bench()
  const [one, two, lead] = [await start(), await start(), await start()]
  const calls = [joinCall(one.sessionId(), 'first part'), joinCall(two.sessionId(), 'second part')]
  await arriving(record, one, () => arriving(record, two, () => lead.ask(script(calls))))
  for (const [parent, part] of [
    [one, 'first part'],
    [two, 'second part'],
  ] as const) {
    const text = joinNotice({ sessionId: lead.sessionId(), part })
    expect(entriesOf(record, parent.sessionId(), 'message').map(entry => entry.text)).toEqual([text])
    expect(entriesOf(record, lead.sessionId(), 'message').filter(entry => entry.text === text)).toMatchObject(
      [{ side: 'sent', peer: { sessionId: parent.sessionId(), as: parent.address() }, isQueued: true }],
    )
  }
  expect(entriesOf(record, lead.sessionId(), 'chain')).toHaveLength(2)
})

test('rule.lastHeardNotAlive: the tree says when a killed lead was last heard, and nothing of whether it lives', async () => {
  const { record, start } = await bench()
  const [parent, lead] = [await start(), await start()]
  await joins(record, lead, parent, 'the index')
  const id = lead.sessionId()
  await lead.kill()
  const tree = await treeAt(parent)
  expect(nodeIn(tree, id)).toContain(`last heard ${entriesOf(record, id).at(-1).at} (`)
  expect(tree).not.toMatch(/\b(alive|dead|ended|running|gone)\b/i)
})
