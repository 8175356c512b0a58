import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** A new empty folder that is removed when the running test ends. Call it inside a test. */
export function tempFolder(): string {
  const folder = create()
  onTestFinished(() => remove(folder))
  return folder
}

/** A new empty folder for all tests of a file or `describe`. Call it outside of tests. */
export function sharedTempFolder(): string {
  const folder = create()
  afterAll(() => remove(folder))
  return folder
}

/** A new empty folder for the time of `work`: for properties, which make many of them in one test. */
export async function inTempFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = create()
  try {
    return await work(folder)
  } finally {
    remove(folder)
  }
}

function create(): string {
  return mkdtempSync(join(tmpdir(), 'coord-test-'))
}

/** Removes a folder also where a test has taken the rights from a part of it. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    openUp(folder)
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

function openUp(folder: string): void {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return
  chmodSync(folder, 0o700)
  for (const item of readdirSync(folder, { withFileTypes: true })) {
    if (item.isDirectory()) openUp(join(folder, item.name))
  }
}
