import type { RecordingState } from '../writer/entry-queue.ts'

/** What a person is told of how recording goes, in the first lines of an answer; nothing while all is well. */
export function recordingWords({ degraded, waiting, lost }: RecordingState): string[] {
  const words: string[] = []
  if (degraded !== null) words.push(`recording is degraded: ${degraded}`)
  if (degraded !== null && waiting > 0) words.push(`${entries(waiting)} not written yet`)
  if (lost > 0) words.push(lossWords(lost))
  return words.length === 0 ? [] : [`! ${words.join('; ')}`]
}

/** What is not in the record and never will be. */
export function lossWords(lost: number): string {
  return lost === 0 ? 'nothing was lost' : `${entries(lost)} lost, which the record shows as missing`
}

function entries(count: number): string {
  return `${count} ${count === 1 ? 'entry' : 'entries'}`
}
