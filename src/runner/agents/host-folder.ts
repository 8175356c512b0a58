import { join } from 'node:path'

/** Where the host keeps its settings and plugins. */
export function hostFolder(env: NodeJS.ProcessEnv, home: string): string {
  return env.CLAUDE_CONFIG_DIR || join(home, '.claude')
}
