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

async function byAddress($: EngineInterface, folder: string, socket: string): Promise<string[]> {
  const pid = /(\d+)\.sock$/.exec(socket)?.[1]
  const row = pid === undefined ? null : await readRow($, `${folder}/${pid}.json`)
  return row?.messagingSocketPath === socket ? [row.sessionId] : []
}

async function byName($: EngineInterface, folder: string, name: string): Promise<string[]> {
  const files = (await $.fs.list(folder)).filter(one => /^\d+\.json$/.test(one.name))
  const rows = await Promise.all(files.map(file => readRow($, `${folder}/${file.name}`)))
  return rows.flatMap(row => (row?.name === name ? [row.sessionId] : []))
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
