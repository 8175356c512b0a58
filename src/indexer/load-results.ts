import type { NewResultRow } from '../database/new-rows.ts'
import type { ResultRow } from '../database/tables.ts'
import type { KnownResult } from '../known-results/known-result.ts'
import {
  type KnownResultFile,
  listKnownResults,
  readKnownResult,
} from '../known-results/list-known-results.ts'
import { Problem } from '../problem/problem.ts'
import type { Loading } from './loading.ts'
import { loadingOf, type ResultLoading } from './result-loading.ts'
import { knownRows, type ResultRows, resultRows } from './result-rows.ts'

/**
 * Brings the index into step with the results that are known for this record. A result is read again only where its
 * files changed, by their stat; with nothing new no file is opened and no row is written. One that cannot be read is
 * unknown evidence with its reason, and one that is gone is said to be gone.
 */
export async function loadResults(loading: Loading): Promise<void> {
  const files = loading.knownDir === null ? [] : listKnownResults(loading.knownDir)
  const known = knownRows(loading.writer)
  if (files.length === 0 && known.size === 0) return
  const rows = resultRows(loading.writer)
  for (const file of files) {
    await loadKnown(loading, rows, file, known.get(file.name))
    known.delete(file.name)
  }
  for (const row of known.values()) {
    await removeRows(loading, row)
    rows.remove(row.id)
    loading.onNote(`the result ${row.path ?? row.name} is known no more; its rows are taken out of the index`)
  }
}

async function loadKnown(
  loading: Loading,
  rows: ResultRows,
  file: KnownResultFile,
  before: ResultRow | undefined,
): Promise<void> {
  const isSameFile = before?.stat === file.stat
  // A file that could not be read is not tried again before it changes.
  if (isSameFile && before.kind === null) return
  const said = isSameFile
    ? (before as KnownResult & ResultRow)
    : readKnownResult(loading.knownDir as string, file.name)
  if ('problem' in said && !('kind' in said)) {
    if (before) await removeRows(loading, before)
    rows.put({ ...rowOf(loading, file, before), state: 'damaged', problem: said.problem }, before)
    return
  }
  const { kind, path, since } = said as KnownResult
  const how = loadingOf(kind)
  const found = identityOf(how, kind, path)
  if (isSameFile && before.identity === found.identity) return
  if (before) await removeRows(loading, before)
  const row: NewResultRow = { ...rowOf(loading, file, before), kind, path, since, identity: found.identity }
  if (how === null || 'problem' in found) {
    rows.put({ ...row, state: 'damaged', problem: 'problem' in found ? found.problem : null }, before)
  } else if (found.identity === null) {
    rows.put({ ...row, state: 'gone', problem: 'there is no result at its path' }, before)
    loading.onNote(`the result ${path} is gone; the index holds nothing of it until it is there again`)
  } else {
    await loadRows(loading, rows, how, rows.put(row, before), path)
  }
}

async function loadRows(
  loading: Loading,
  rows: ResultRows,
  how: ResultLoading,
  id: number,
  path: string,
): Promise<void> {
  const loader = await how.loader(loading.writer)
  loading.work.resultsRead += 1
  try {
    rows.update(id, { state: 'read', problem: null, ...loader.load(path, id) })
  } catch (error) {
    const isAboutResult = error instanceof Problem || (error as NodeJS.ErrnoException).path !== undefined
    if (!isAboutResult) throw error
    rows.update(id, { state: 'damaged', problem: (error as Error).message })
  }
}

async function removeRows(loading: Loading, row: ResultRow): Promise<void> {
  if (row.state !== 'read') return
  const how = loadingOf(row.kind as string)
  if (how) (await how.loader(loading.writer)).remove(row.id)
}

function rowOf(loading: Loading, file: KnownResultFile, before: ResultRow | undefined): NewResultRow {
  return {
    ...file,
    ...{ kind: null, path: null, since: null, identity: null, state: 'read', problem: null },
    ...{ status: null, made_at: null, version: null, revision: null },
    first_seen: before?.first_seen ?? loading.now,
    tries: (before?.tries ?? 0) + 1,
  }
}

/** The identity of a result's files; of what cannot be looked at, one that changes when it can. */
function identityOf(
  how: ResultLoading | null,
  kind: string,
  path: string,
): { identity: string | null } | { identity: string; problem: string } {
  if (how === null) {
    const problem = `this version of coord knows no results of the kind ${kind}`
    return { identity: problem, problem }
  }
  try {
    return { identity: how.identity(path) }
  } catch (error) {
    const problem = `it cannot be looked at: ${(error as Error).message}`
    return { identity: problem, problem }
  }
}
