import type { EngineInterface } from 'claude-code'
import { isSessionId } from '../record/session-id.ts'

interface RegistryRow {
  sessionId: string
  name?: string
  messagingSocketPath?: string
}

/**
 * The full id of the one live session that the host's registry holds under an address or a name at this moment
 * (ruling 6); undefined where none or more than one does. "Resolved" means that this process held this id then, so it
 * is asked at the moment of the message and never later.
 */
export async function resolvePeer($: EngineInterface, as: string): Promise<string | undefined> {
  try {
    const folder = `${await configFolder($)}/sessions`
    const found = as.startsWith('uds:')
      ? await byAddress($, folder, as.slice(4))
      : await byName($, folder, nameOf(as))
    return found.length === 1 && isSessionId(found[0] as string) ? found[0] : undefined
  } catch {
    // No registry, or one that cannot be read, resolves nobody.
    return undefined
  }
}

/** How the host's SendMessage reaches a session now; null where its line says nothing of it. */
export interface LivePeer {
  name: string | null
  address: string | null
}

/**
 * The sessions that the host's registry of this profile holds at this moment, by their full ids; a session that was
 * killed stays in it. One that stands in two lines is left out: which of them is meant, nobody can tell.
 */
export async function livePeers($: EngineInterface): Promise<Map<string, LivePeer>> {
  const peers = new Map<string, LivePeer>()
  try {
    const rows = await readRows($, `${await configFolder($)}/sessions`)
    for (const { sessionId, name, messagingSocketPath } of rows) {
      if (typeof sessionId !== 'string' || rows.filter(row => row.sessionId === sessionId).length > 1)
        continue
      const address = typeof messagingSocketPath === 'string' ? `uds:${messagingSocketPath}` : null
      peers.set(sessionId, { name: typeof name === 'string' ? name : null, address })
    }
  } catch {
    // No registry, or one that cannot be read, knows nobody.
  }
  return peers
}

/** How a message is addressed to a live session, in the host's words. */
export function reachWords({ name, address }: LivePeer): string | null {
  const ways = [name, address].filter(way => way !== null)
  return ways.length === 0 ? null : ways.join(' or ')
}

async function byAddress($: EngineInterface, folder: string, socket: string): Promise<string[]> {
  const pid = /(\d+)\.sock$/.exec(socket)?.[1]
  const row = pid === undefined ? null : await readRow($, `${folder}/${pid}.json`)
  return row?.messagingSocketPath === socket ? [row.sessionId] : []
}

async function byName($: EngineInterface, folder: string, name: string): Promise<string[]> {
  const rows = await readRows($, folder)
  return rows.flatMap(row => (row.name === name ? [row.sessionId] : []))
}

async function readRows($: EngineInterface, folder: string): Promise<RegistryRow[]> {
  const files = (await $.fs.list(folder)).filter(one => /^\d+\.json$/.test(one.name))
  const rows = await Promise.all(files.map(file => readRow($, `${folder}/${file.name}`)))
  return rows.filter(row => row !== null)
}

/** ListAgents prints `name [ref]`, and a sender may spell it so. */
function nameOf(as: string): string {
  return as.replace(/ \[[0-9a-f]{6}\]$/, '')
}

async function readRow($: EngineInterface, path: string): Promise<RegistryRow | null> {
  try {
    return JSON.parse(await $.fs.read(path)) as RegistryRow
  } catch {
    return null
  }
}

/** The host names its configuration folder only by the transcript's place in it. */
async function configFolder($: EngineInterface): Promise<string> {
  const { transcriptPath } = await $.session.info()
  const at = transcriptPath.lastIndexOf('/projects/')
  if (at > 0) return transcriptPath.slice(0, at)
  return (await $.env.get('CLAUDE_CONFIG_DIR')) ?? `${await $.env.get('HOME')}/.claude`
}
