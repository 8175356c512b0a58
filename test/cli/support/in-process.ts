import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import type { CommandOf } from '../../../src/cli/commands/command.ts'
import type { Console } from '../../../src/cli/console.ts'
import { placeFrom } from '../../../src/cli/settings.ts'
import { at, recordBuilder } from '../../support/record-builder.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** What a command said and how it ended; `error` is what it threw. */
export interface Ended {
  code: number | null
  printed: string
  told: string[]
  progress: string[]
  // biome-ignore lint/suspicious/noExplicitAny: tests look into errors of several kinds
  error: any
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents whose shape they check
  json(): any
}

/** A console that keeps what it is given. */
export function keptConsole(): Console & { printed: string; told: string[]; shown: string[] } {
  const kept = {
    printed: '',
    told: [] as string[],
    shown: [] as string[],
    width: undefined,
    isColour: false,
    async print(text: string) {
      kept.printed += text
    },
    tell: (text: string) => void kept.told.push(text),
    progress: (text: string) => void kept.shown.push(text),
  }
  return kept
}

/**
 * A record in a home of its own, in which a command's own function runs in this process; call `vi.unstubAllEnvs` after
 * each test. What needs the built program is in the other tests of this folder.
 */
export function commandHome() {
  const dir = tempFolder()
  const home = join(dir, 'home')
  mkdirSync(home)
  const record = recordBuilder(join(dir, 'record'))
  const env: Record<string, string> = {
    HOME: home,
    XDG_DATA_HOME: join(dir, 'data'),
    XDG_CACHE_HOME: join(dir, 'cache'),
    COORD_RECORD_DIR: record.dir,
    COORD_INDEX: '',
    CLAUDE_CONFIG_DIR: '',
    CODEX_HOME: '',
  }
  async function run(command: CommandOf, ...args: string[]): Promise<Ended> {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    const console = keptConsole()
    let code: number | null = null
    const built = command(console, exit => {
      code = exit
    })
    let error: unknown
    try {
      await built
        .exitOverride()
        .configureOutput({ writeErr: () => {} })
        .parseAsync(args, { from: 'user' })
    } catch (thrown) {
      error = thrown
    }
    const { printed, told, shown } = console
    return { code, printed, told, progress: shown, error, json: () => JSON.parse(printed) }
  }
  return { dir, home, record, env, run }
}

/** A chain of two and one that stands alone; three entries of one, one each of the others. */
export function chainHome() {
  const here = commandHome()
  here.record.start('top', at(0))
  here.record.start('lead', at(1))
  here.record.chain('lead', 'top', 'port', at(2))
  here.record.sent('lead', { as: 'x', sessionId: 'top' }, 'done', at(3))
  here.record.start('alone', at(4))
  const place = () => placeFrom({}, { ...here.env })
  return { ...here, place }
}
