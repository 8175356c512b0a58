/** Deeper values are refused: all that goes down into them, such as writing them to the log, needs stack for each level. */
const MAX_DEPTH = 200

/** A text as JSON, or why it is none that can be gone on with. */
export function parsedJson(text: string, maxDepth = MAX_DEPTH): { value: unknown } | { refused: string } {
  if (depthOf(text) > maxDepth) return { refused: `it is more than ${maxDepth} levels deep` }
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { refused: (error as Error).message }
  }
}

/** How deep lists and objects lie in each other. */
function depthOf(text: string): number {
  let depth = 0
  let most = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{]|[\]}]/gs)) {
    if (token === '[' || token === '{') depth += 1
    else if (token === ']' || token === '}') depth -= 1
    most = Math.max(most, depth)
  }
  return most
}
