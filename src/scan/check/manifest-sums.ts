import type { Manifest } from '../manifest.ts'
import { LABELS, type Label } from '../message.ts'

/** Where the sums of a manifest are not those of its sources and of the rows. */
export function wrongSums(
  { counts, sources }: Manifest,
  found: Pick<Manifest['counts'], 'messages' | 'places' | 'directions' | 'exclusions'>,
): string[] {
  const sum = (of: (source: Manifest['sources'][number]) => number) =>
    sources.reduce((total, source) => total + of(source), 0)
  const expected = {
    sources: sources.length,
    bytes: sum(({ size }) => size),
    lines: sum(source => source.counts.lines),
    malformed: sum(source => source.counts.malformed),
    places: found.places,
    directions: found.directions,
    exclusions: found.exclusions,
  }
  return [
    ...Object.entries(expected).flatMap(([name, value]) =>
      different(`manifest: ${name}`, counts[name as keyof typeof expected], value),
    ),
    ...differentLabels('manifest: messages', counts.messages, found.messages),
  ]
}

/** Which labels are said to be as many as they are not. */
export function differentLabels(
  what: string,
  said: Record<Label, number>,
  found: Record<Label, number>,
): string[] {
  return LABELS.flatMap(label => different(`${what} labelled ${label}`, said[label], found[label]))
}

function different(what: string, said: number, found: number): string[] {
  return said === found ? [] : [`${what}: ${said} said, ${found} found`]
}
