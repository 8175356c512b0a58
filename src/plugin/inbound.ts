import type { EngineInterface } from 'claude-code'

/** The four states of the host's inbound setting (rule.readsInbound). */
export type Inbound = 'accept' | 'hold' | 'refuse' | 'unset'

/** One source's value of the setting, in which anything but the three words counts as unset. */
type Layer = unknown

/** From the most open to the tightest. */
const TIGHTNESS: readonly Inbound[] = ['accept', 'unset', 'hold', 'refuse']

/**
 * The state that the host acts on, which is not the merged setting (docs/host.md, inbound setting): managed, command
 * line and user settings give the state, the first that has one; a project's and a folder's own can only tighten it.
 */
export function inboundState(layers: {
  policy: Layer
  flag: Layer
  user: Layer
  project: Layer
  local: Layer
}): Inbound {
  const base =
    [layers.policy, layers.flag, layers.user].map(asState).find(state => state !== 'unset') ?? 'unset'
  return [layers.project, layers.local].map(asState).reduce(tighter, base)
}

/** Reads the state as it is now: it can change while the session runs (rule.stateIsDated). Never writes it. */
export async function readInbound($: EngineInterface): Promise<Inbound> {
  const [policy, flag, user, project, local] = await Promise.all([
    $.settings.read({ source: 'policy' }),
    $.settings.read({ source: 'flag' }),
    $.settings.read({ source: 'user' }),
    $.settings.read({ source: 'project' }),
    $.settings.read({ source: 'local' }),
  ])
  return inboundState({
    policy: settingIn(policy),
    flag: settingIn(flag),
    user: settingIn(user),
    project: settingIn(project),
    local: settingIn(local),
  })
}

/** What a person is told at start; null for accept, which needs no notice (rule.saysTheState). */
export function inboundNotice(state: Inbound): string | null {
  switch (state) {
    case 'accept':
      return null
    case 'hold':
      return 'inbound: hold (as read at start). Messages from other sessions wait until you release them.'
    case 'refuse':
      return 'inbound: refuse (as read at start). Messages from other sessions are refused.'
    case 'unset':
      return 'inbound: unset (as read at start). The host’s default applies: delivery depends on the permission modes of the two sessions.'
  }
}

function settingIn(settings: unknown): unknown {
  return (settings as Record<string, unknown> | undefined)?.crossSessionInbound
}

function asState(layer: Layer): Inbound {
  return layer === 'accept' || layer === 'hold' || layer === 'refuse' ? layer : 'unset'
}

/** Unset in a project says nothing, so it loosens and tightens nothing. */
function tighter(state: Inbound, layer: Inbound): Inbound {
  return layer !== 'unset' && TIGHTNESS.indexOf(layer) > TIGHTNESS.indexOf(state) ? layer : state
}
