import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { Problem } from '../../problem/problem.ts'
import type { Exclusion } from '../manifest.ts'
import { type TranscriptFormat, titlesOf } from '../transcript-format.ts'
import { HISTORY_NAME } from './history.ts'

/** A file that may be a transcript, or a list of typed prompts beside transcripts. */
export interface SourceFile {
  file: string
  kind: 'transcript' | 'history'
}

export interface FoundSources {
  /** In the order of their paths, each once. */
  files: SourceFile[]
  exclusions: Exclusion[]
}

const NOT_REGULAR = 'not a regular file'

/**
 * Finds the transcripts below the named roots: a program's own folder, any folder of transcripts, or one file. What
 * program a root belongs to does not matter: rows tell which one wrote them. Links are not followed below a root, so that a scan stays where it was sent. Everything
 * that is passed over is named.
 *
 * @throws Problem `not-found` where a root is not there
 */
export function findSources(roots: string[], formats: readonly TranscriptFormat[]): FoundSources {
  const folders = formats.flatMap(({ home }) => home.transcripts)
  const files = new Map<string, SourceFile>()
  const exclusions: Exclusion[] = []
  const add = (source: SourceFile) => void (files.has(source.file) || files.set(source.file, source))
  for (const root of roots) {
    const path = realPath(root, formats)
    const stat = statSync(path)
    if (!stat.isDirectory()) {
      if (stat.isFile()) add(sourceOf(path))
      else exclusions.push({ file: path, line: null, reason: NOT_REGULAR })
      continue
    }
    const own = folders.map(name => join(path, name)).filter(isFolder)
    if (own.length === 0) walk(path, add, exclusions)
    // A program may keep its folder of transcripts on another disk, behind a link of its own.
    for (const folder of own) walk(realPath(folder, formats), add, exclusions)
    const history = join(path, HISTORY_NAME)
    if (own.length > 0 && isFile(history)) add({ file: history, kind: 'history' })
  }
  const byPath = (a: { file: string }, b: { file: string }) => (a.file < b.file ? -1 : 1)
  return { files: [...files.values()].sort(byPath), exclusions: exclusions.sort(byPath) }
}

function walk(folder: string, add: (source: SourceFile) => void, exclusions: Exclusion[]): void {
  const folders = [folder]
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const item of list(at, exclusions)) {
      const file = join(at, item.name)
      const exclude = (reason: string) => void exclusions.push({ file, line: null, reason })
      if (item.isDirectory()) folders.push(file)
      else if (item.isSymbolicLink()) exclude('a link; name what it leads to')
      else if (!item.isFile()) exclude(NOT_REGULAR)
      else if (!/\.jsonl(\.zst)?$/.test(item.name))
        exclude('not named like a transcript (.jsonl, .jsonl.zst)')
      else add(sourceOf(file))
    }
  }
}

function sourceOf(file: string): SourceFile {
  return { file, kind: basename(file) === HISTORY_NAME ? 'history' : 'transcript' }
}

function list(folder: string, exclusions: Exclusion[]) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    exclusions.push({ file: folder, line: null, reason: cannotBeRead(error) })
    return []
  }
}

/** The reason of an exclusion that is no choice but a failure. */
export function cannotBeRead(error: unknown): string {
  return `cannot be read: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`
}

/** Whether something was passed over because reading it failed: the scan's answer is partial then. */
export function isFailure({ reason }: Exclusion): boolean {
  return reason.startsWith('cannot be read') || reason.startsWith('damaged')
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

function realPath(path: string, formats: readonly TranscriptFormat[]): string {
  try {
    return realpathSync(resolve(path))
  } catch (cause) {
    throw new Problem('not-found', `there is no ${path}`, {
      path: resolve(path),
      hint: `name a folder of ${titlesOf(formats)}, a folder of transcripts, or one transcript`,
      cause,
    })
  }
}
