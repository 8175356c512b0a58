/** Deeper values are refused: all that goes down into them, such as writing them anew, needs stack for each level. */
const DEEPEST = 200

/** A text as JSON (RFC 8259), or why it is none that can be gone on with. */
export function parsedJson(text: string, deepest = DEEPEST): { value: unknown } | { refused: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { refused: (error as Error).message }
  }
  return isDeeper(value, deepest) ? { refused: `it is more than ${deepest} levels deep` } : { value }
}

/** Whether lists and objects lie deeper in each other; level by level, since recursion is what this guards. */
function isDeeper(value: unknown, levels: number): boolean {
  let level = [value].filter(isNested)
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > levels) return true
    level = level.flatMap(one => Object.values(one).filter(isNested))
  }
  return false
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
