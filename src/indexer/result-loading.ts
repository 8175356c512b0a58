import type { ResultWriter } from '../database/index-writer.ts'
import type { ResultKind } from '../known-results/known-result.ts'
import { resultIdentity } from '../scan/result/result-folder.ts'
import type { ResultLoader } from './result-loader.ts'
import { runIdentity } from './run-identity.ts'

/** How results of one kind are told from each other and loaded. */
export interface ResultLoading {
  /** What tells whether a result's files changed, from their stat alone; null where there is no result at the path. */
  identity(path: string): string | null
  /** Loaded only where there is something to load: it brings the schemas of the rows. */
  loader(writer: ResultWriter): Promise<ResultLoader>
}

/** Every kind of result that an index takes in. */
export const RESULT_LOADING: Readonly<Partial<Record<ResultKind, ResultLoading>>> = {
  scan: {
    identity: resultIdentity,
    loader: async writer => (await import('./load-scan-result.ts')).scanResultLoader(writer),
  },
  run: {
    identity: runIdentity,
    loader: async writer => (await import('./load-run.ts')).runLoader(writer),
  },
}

/** How results of a kind are loaded; null for one that this version does not know. */
export function loadingOf(kind: string): ResultLoading | null {
  return Object.hasOwn(RESULT_LOADING, kind) ? (RESULT_LOADING[kind as ResultKind] ?? null) : null
}
