import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const WORDS =
  'rake spade hose bucket ladder count paint shelf nail plank drift schema index query notes green'.split(' ')

/**
 * Writes transcripts of Claude Code below `dir/projects`, `megabytes` of them in files of 10 MB: prompts, answers, tool
 * calls and results, API request blobs, in about the shares of real ones (most of the bytes are no conversation).
 */
export function generateTranscripts(dir, { megabytes }) {
  const files = Math.max(1, Math.round(megabytes / 10))
  const each = (megabytes * 1_000_000) / files
  let prompts = 0
  for (let file = 0; file < files; file += 1) {
    const session = randomUUID()
    const folder = join(dir, 'projects', `-home-dev-work-${file % 7}`)
    mkdirSync(folder, { recursive: true })
    const fd = openSync(join(folder, `${session}.jsonl`), 'w')
    const rows = turns(session, file)
    for (let size = 0; size < each; ) {
      const turn = rows.next().value
      prompts += 1
      size += writeSync(fd, turn)
    }
    closeSync(fd)
  }
  return { files, prompts }
}

function* turns(session, file) {
  let parent = null
  const text = length =>
    Array.from({ length }, (_, at) => WORDS[(at * 7 + length + file) % WORDS.length]).join(' ')
  for (let turn = 0; ; turn += 1) {
    const at = step =>
      new Date(Date.UTC(2026, 9, 1) + (file * 5_000 + turn * 10 + step) * 1_000).toISOString()
    const common = step => ({
      isSidechain: false,
      uuid: randomUUID(),
      timestamp: at(step),
      sessionId: session,
      cwd: `/home/dev/work/${file % 7}`,
      version: '2.1.332',
      entrypoint: 'cli',
      userType: 'external',
    })
    const rows = []
    const add = row => {
      rows.push({ parentUuid: parent, ...row })
      parent = row.uuid ?? parent
    }
    const origin = { origin: { kind: 'human' }, promptSource: 'typed', turnOrigin: 'human' }
    add({ type: 'user', message: { role: 'user', content: `${text(12)} ${turn}` }, ...common(0), ...origin })
    for (let call = 0; call < 4; call += 1) {
      const id = `toolu_${session.slice(0, 8)}_${turn}_${call}`
      const use = { type: 'tool_use', id, name: 'Bash', input: { command: `cat notes-${call}.txt` } }
      const message = { id: `msg_${session.slice(0, 8)}_${turn}_${call}`, role: 'assistant', content: [use] }
      add({ type: 'assistant', message: { ...message, stop_reason: 'tool_use' }, ...common(1 + call) })
      const content = [{ type: 'tool_result', tool_use_id: id, content: text(600), is_error: false }]
      add({
        type: 'user',
        message: { role: 'user', content },
        toolUseResult: { stdout: text(600) },
        ...common(2 + call),
      })
      rows.push({ type: 'api-request-blob', sessionId: session, hash: id, blob: text(1_500) })
    }
    const answer = { role: 'assistant', content: [{ type: 'text', text: text(80) }], stop_reason: 'end_turn' }
    add({ type: 'assistant', message: { id: `msg_${session.slice(0, 8)}_${turn}`, ...answer }, ...common(8) })
    add({ type: 'system', subtype: 'turn_duration', durationMs: 9_000, ...common(9) })
    yield rows.map(row => `${JSON.stringify(row)}\n`).join('')
  }
}
