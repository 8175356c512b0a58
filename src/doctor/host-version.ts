import { spawnSync } from 'node:child_process'

/**
 * The least version of the host that loads the mod (docs/host.md, versions). An older one refuses it without telling
 * the person, and nothing that is in the plugin can tell them instead.
 */
export const LEAST_HOST = '2.1.326'

/** The host version that docs/host.md was measured on. */
export const MEASURED_HOST = '2.1.332'

/** The version of the host on the path; null where there is none, or it says none. */
export function installedHost(): string | null {
  const { stdout, error } = spawnSync('claude', ['--version'], { encoding: 'utf8', timeout: 20_000 })
  return error ? null : (/^\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? null)
}

/** Whether a host of this version refuses the mod. */
export function isTooOld(version: string): boolean {
  const [parts, least] = [version, LEAST_HOST].map(one => one.split('.').map(Number)) as [number[], number[]]
  const differs = parts.findIndex((part, place) => part !== least[place])
  return differs !== -1 && (parts[differs] as number) < (least[differs] as number)
}

/** What is told of a host that is too old. */
export function tooOldWords(version: string): { detail: string; hint: string } {
  return {
    detail: `Claude Code ${version} refuses the plugin's mod and does not say so: nothing is recorded`,
    hint: `the plugin needs Claude Code ${LEAST_HOST} or later: claude update`,
  }
}
