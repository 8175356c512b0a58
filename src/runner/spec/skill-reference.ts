/** A skill of a package at one version (spec, skill-reference contract). */
export interface SkillReference {
  package: string
  skill: string
  version: string
}

/** `<package>:<skill>@<version>` with one exact version. A range, a tag such as `latest` and a path do not fit. */
const SKILL_REFERENCE = /^([a-z0-9][a-z0-9-]*):([a-z0-9][a-z0-9-]*)@(\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?)$/

/** Skill names that begin with a family or one of its products: invalid, since a chain must not choose a family so. */
const FAMILY_PREFIX = /^(anthropic|claude|openai|codex|gpt|chatgpt|google|gemini|xai|grok|zhipu|glm)-/

/** The parts of a reference that has the form; null where it has not. */
export function parseSkillReference(text: string): SkillReference | null {
  const found = SKILL_REFERENCE.exec(text)
  if (!found) return null
  const [, pack = '', skill = '', version = ''] = found
  return { package: pack, skill, version }
}

/** Why a reference is invalid, in words; null where it is valid. */
export function referenceMistake(text: string): string | null {
  const reference = parseSkillReference(text)
  if (!reference) return 'a skill is named <package>:<skill>@<version>, with one exact version such as 1.2.0'
  const prefix = FAMILY_PREFIX.exec(reference.skill)
  if (prefix) return `the skill's name begins with a family (${prefix[0]}): such names are invalid`
  return null
}
