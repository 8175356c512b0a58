import { hash } from 'node:crypto'
import { Problem } from '../../problem/problem.ts'
import type { Manifest, ManifestSource } from '../manifest.ts'

const LISTED = 5

/**
 * The sample of two results: the same sources, by the hashes of their bytes, wherever they lie
 * (rule.measuredDeployment).
 *
 * @returns SHA-256 over those hashes
 * @throws Problem `failed` that names what only one of them read
 */
export function commonSample(older: Manifest, newer: Manifest): string {
  const onlyOld = without(older.sources, newer.sources)
  const onlyNew = without(newer.sources, older.sources)
  if (onlyOld.length + onlyNew.length > 0) {
    const sides = [
      ...(onlyOld.length > 0 ? [`only the old one read ${named(onlyOld)}`] : []),
      ...(onlyNew.length > 0 ? [`only the new one read ${named(onlyNew)}`] : []),
    ]
    throw new Problem('failed', `the results are of different samples: ${sides.join('; ')}`, {
      hint: 'scan the same frozen copy of the transcripts with both versions',
    })
  }
  return sampleSha256(older)
}

/** SHA-256 over the hashes of a result's sources, in their order. */
export function sampleSha256({ sources }: Manifest): string {
  const hashes = sources.map(({ sha256 }) => sha256).sort()
  return hash('sha256', hashes.join('\n'))
}

function without(sources: readonly ManifestSource[], others: readonly ManifestSource[]): ManifestSource[] {
  const left = new Map<string, number>()
  for (const { sha256 } of others) left.set(sha256, (left.get(sha256) ?? 0) + 1)
  return sources.filter(({ sha256 }) => {
    const count = left.get(sha256) ?? 0
    left.set(sha256, count - 1)
    return count <= 0
  })
}

function named(sources: readonly ManifestSource[]): string {
  const names = sources.slice(0, LISTED).map(({ file, sha256 }) => `${file} (${sha256.slice(0, 12)}…)`)
  return names.join(', ') + (sources.length > LISTED ? `, and ${sources.length - LISTED} more` : '')
}
