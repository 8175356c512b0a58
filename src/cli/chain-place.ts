import type { RunPlace } from '../runner/run/run-context.ts'
import { type ChainPlace, chainPlaces, projectRootOf } from '../runner/spec/find-chain.ts'
import { claudeFolder, runnerFolderFrom, surroundings } from './settings.ts'

/** The options of every command of chains that looks at a project. */
export interface ProjectOption {
  project?: string
}

/** Where a run takes place: the project, and what is the person's. */
export function runPlaceFrom(options: ProjectOption, env: NodeJS.ProcessEnv = process.env): RunPlace {
  const { home = '' } = surroundings(env)
  return {
    project: projectOf(options),
    runnerFolder: runnerFolderFrom(env),
    home,
    host: claudeFolder(env),
    env,
  }
}

/** Where chains are looked for. */
export function chainPlacesFrom(options: ProjectOption): ChainPlace[] {
  return chainPlaces(projectOf(options), runnerFolderFrom(process.env))
}

function projectOf({ project }: ProjectOption): string {
  return projectRootOf(project ?? process.cwd())
}
