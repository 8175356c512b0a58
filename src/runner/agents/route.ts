import { findProgram } from '../processes/find-program.ts'
import type { Family } from './family.ts'
import type { Agent } from './runner-settings.ts'

/** Who may verify, or why nobody may. */
export type Routed = { agent: Agent; excluded: Family[] } | { refused: string; hint: string }

/**
 * Chooses the agent that verifies (spec, family-aware routing): the first one in the person's settings whose family is
 * known and is neither the primary's nor that of an author of what is checked. Where the primary's or an author's
 * family is unknown nobody may: independence could not be told.
 *
 * @param authors the families that wrote what is checked, by what it is
 */
export function routeVerifier(
  agents: readonly Agent[],
  primary: Family,
  authors: Record<string, Family | 'person'>,
  env: NodeJS.ProcessEnv,
): Routed {
  const unknown = Object.entries(authors).find(([, family]) => family === 'unknown')
  if (primary === 'unknown') {
    return {
      refused: "the primary's family is unknown, so no verifier is known to be independent of it",
      hint: "give the primary's family in the settings of the runner",
    }
  }
  if (unknown) {
    return {
      refused: `who wrote ${unknown[0]} is unknown, so no verifier is known to be independent of it`,
      hint: `--author ${unknown[0].replace(/^inputs\./, '')}=FAMILY says who wrote an input (or "person")`,
    }
  }
  const families = Object.values(authors).filter(family => family !== 'person')
  const excluded = [...new Set<Family>([primary, ...families])]
  const others = agents.filter(agent => agent.family !== 'unknown' && !excluded.includes(agent.family))
  const agent = others.find(({ argv }) => findProgram(argv[0] as string, env) !== null)
  if (agent) return { agent, excluded }
  const known = others.map(({ name, family }) => `${name} (${family})`).join(', ')
  return {
    refused: `no agent of another family than ${excluded.join(', ')} is there`,
    hint: known === '' ? 'name one under "agents" in the settings of the runner' : `not installed: ${known}`,
  }
}
