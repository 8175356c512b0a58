/** Who made a model (spec, family-aware routing). `unknown` is never independent of anything. */
export const FAMILIES = ['Anthropic', 'Google', 'OpenAI', 'xAI', 'Zhipu', 'unknown'] as const

export type Family = (typeof FAMILIES)[number]

/** The family that a word names, whatever its case; `unknown` where it names none. */
export function familyOf(word: string): Family {
  return FAMILIES.find(family => family.toLowerCase() === word.toLowerCase()) ?? 'unknown'
}
