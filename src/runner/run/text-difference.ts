const SHOWN = 20

/**
 * The lines in which two texts differ, as `12: - old` and `12: + new`: what stands between the lines that they begin
 * and end with in common.
 */
export function textDifference(before: string, after: string): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  let first = 0
  while (first < old.length && first < now.length && old[first] === now[first]) first += 1
  let last = 0
  while (last < Math.min(old.length, now.length) - first && old.at(-1 - last) === now.at(-1 - last)) last += 1
  const lines = [
    ...numbered(old.slice(first, old.length - last), first, '-'),
    ...numbered(now.slice(first, now.length - last), first, '+'),
  ]
  return lines.length > SHOWN ? [...lines.slice(0, SHOWN), `and ${lines.length - SHOWN} more lines`] : lines
}

function numbered(lines: string[], from: number, mark: '-' | '+'): string[] {
  return lines.map((line, index) => `${from + index + 1}: ${mark} ${line}`)
}
