import packageJson from '../../package.json' with { type: 'json' }

/** Put in by scripts/build.mjs: the commit and, where files differ from it, the hash of the sources. */
declare const COORD_REVISION: string | undefined

/** What a result says of the program that made it (rule.measuredDeployment). */
export const thisTool = {
  name: 'coord' as const,
  version: packageJson.version,
  revision: typeof COORD_REVISION === 'string' ? COORD_REVISION : 'not built',
}
