import type { ComparisonRecord } from '../manifest.ts'
import { asOnlyChanger } from '../result/only-changer.ts'
import { readManifest } from '../result/read-result.ts'
import { writeManifest } from '../result/write-result.ts'
import { type Differences, findDifferences } from './differences.ts'
import { measure } from './measured.ts'
import { pairMessages } from './pair-messages.ts'
import { commonSample } from './sample.ts'

export interface Comparison extends Differences {
  /** Recorded in the new result's manifest. */
  record: ComparisonRecord
  /** No loss, or one that somebody accepted. */
  passed: boolean
}

/**
 * Measures a new version of the scan on a frozen sample against an earlier one (rule.measuredDeployment): compares two
 * results of the same sources and records the comparison, with the reason why losses were accepted, in the new one.
 * What people decided about either is left out: the tool is measured.
 *
 * @throws Problem `failed` where the results are of different samples, `not-found` where there is none
 */
export async function compareResults(
  older: string,
  newer: string,
  options: { acceptedLoss: string | null; now: Date },
): Promise<Comparison> {
  const [before, after] = [readManifest(older), readManifest(newer)]
  const sample = commonSample(before, after)
  const differences = findDifferences(pairMessages(measure(older, before), measure(newer, after)))
  const record: ComparisonRecord = {
    at: options.now.toISOString(),
    old: { path: older, revision: before.tool.revision },
    new: { path: newer, revision: after.tool.revision },
    sampleSha256: sample,
    losses: differences.losses.length,
    gains: differences.gains.length,
    acceptedLoss: differences.losses.length > 0 ? options.acceptedLoss : null,
  }
  await asOnlyChanger(newer, () => {
    const manifest = readManifest(newer)
    writeManifest(newer, { ...manifest, comparisons: [...manifest.comparisons, record] })
  })
  return { ...differences, record, passed: record.losses === 0 || record.acceptedLoss !== null }
}
