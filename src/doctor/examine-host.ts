import { join } from 'node:path'
import { readJson } from '../files/read-json.ts'
import { inboundState } from '../plugin/inbound.ts'
import type { Check } from './examine.ts'
import { installedHost, isTooOld, MEASURED_HOST, tooOldWords } from './host-version.ts'

const LARGEST_SETTINGS = 4 * 1_048_576

/** Where the host's settings of this user and folder lie. */
export interface HostPlaces {
  /** `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
  configDir: string
  cwd: string
  /** The settings that an administrator gives. */
  managed?: string
}

const MANAGED = '/etc/claude-code/managed-settings.json'

/** Looks at the host: its version, whether the plugin is enabled, and the inbound setting of each source. */
export function examineHost({ configDir, cwd, managed = MANAGED }: HostPlaces): Check[] {
  const layers = {
    policy: settingsAt(managed),
    user: settingsAt(join(configDir, 'settings.json')),
    project: settingsAt(join(cwd, '.claude', 'settings.json')),
    local: settingsAt(join(cwd, '.claude', 'settings.local.json')),
  }
  return [hostVersion(), pluginEnabled(layers), inbound(layers)]
}

type Settings = Record<string, unknown>
type Layers = Record<'policy' | 'user' | 'project' | 'local', Settings>

function hostVersion(): Check {
  const version = installedHost()
  if (version === null) {
    return {
      name: 'host',
      status: 'warning',
      detail: 'claude is not on the path',
      hint: 'install Claude Code; the record can be read without it',
    }
  }
  if (isTooOld(version)) return { name: 'host', status: 'warning', ...tooOldWords(version) }
  const detail = `Claude Code ${version}; the plugin was measured on ${MEASURED_HOST}`
  return {
    name: 'host',
    status: version === MEASURED_HOST ? 'ok' : 'warning',
    detail,
    hint: version === MEASURED_HOST ? null : `docs/host.md says what the plugin relies on`,
  }
}

function pluginEnabled({ policy, user, project, local }: Layers): Check {
  const states = [local, project, user, policy].map(
    one => (one.enabledPlugins as Settings | undefined)?.['coordination@cc-agents'],
  )
  const isEnabled = policyFirst(states)
  if (isEnabled === true)
    return { name: 'plugin', status: 'ok', detail: 'coordination@cc-agents is enabled here', hint: null }
  const detail =
    isEnabled === false
      ? 'coordination@cc-agents is disabled here'
      : 'coordination@cc-agents is not installed'
  return {
    name: 'plugin',
    status: 'warning',
    detail,
    hint: 'coord plugin says how to install it; claude plugin enable coordination@cc-agents enables it',
  }
}

/** Settings that apply here, from the weakest source to the strongest. */
function policyFirst(states: unknown[]): unknown {
  const [local, project, user, policy] = states
  return policy ?? local ?? project ?? user
}

function inbound(layers: Layers): Check {
  const of = (name: keyof Layers) => layers[name].crossSessionInbound
  const state = inboundState({
    policy: of('policy'),
    flag: undefined,
    user: of('user'),
    project: of('project'),
    local: of('local'),
  })
  const sources = (Object.keys(layers) as (keyof Layers)[])
    .map(name => `${name} ${of(name) ?? 'unset'}`)
    .join(', ')
  const detail = `${state} here (${sources}; a session's --settings can say otherwise)`
  const isOpen = state === 'accept' || state === 'unset'
  return {
    name: 'inbound messages',
    status: isOpen ? 'ok' : 'warning',
    detail,
    hint: isOpen ? null : 'crossSessionInbound in the settings named decides',
  }
}

/** The host's settings in a file. One that cannot be used says nothing, as it does to the host. */
function settingsAt(path: string): Settings {
  const read = readJson(path, { largest: LARGEST_SETTINGS })
  const value = 'value' in read ? read.value : null
  return typeof value === 'object' && value !== null ? (value as Settings) : {}
}
