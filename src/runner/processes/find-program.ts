import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** Where a program lies that a command names, by its path or in `PATH`; null where there is none to run. */
export function findProgram(program: string, env: NodeJS.ProcessEnv): string | null {
  if (isAbsolute(program)) return isProgram(program) ? program : null
  // A relative path would mean another program in each project.
  if (/[\\/]/.test(program)) return null
  const endings = process.platform === 'win32' ? ['', '.exe', '.com'] : ['']
  const folders = (env.PATH ?? '').split(delimiter).filter(folder => isAbsolute(folder))
  for (const folder of folders)
    for (const ending of endings)
      if (isProgram(join(folder, program + ending))) return join(folder, program + ending)
  return null
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
