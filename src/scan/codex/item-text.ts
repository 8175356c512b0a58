import { type JsonObject, objectOf, objectsOf, textOf } from '../transcripts/json-row.ts'

/** One part of a message with what Codex says it is. */
export interface Part {
  type: string
  text: string | null
  /** Such as `user.text`; null where the version says nothing. */
  kind: string | null
  isHook: boolean
}

/** The parts of a message item. Versions since 0.171 state the kind of each. */
export function partsOf(item: JsonObject): Part[] {
  const passed = objectOf(item.internal_chat_message_metadata_passthrough)
  const kinds = Array.isArray(passed?.content_item_kinds) ? passed.content_item_kinds : []
  const metadata = objectsOf(passed?.content_item_metadata)
  return objectsOf(item.content).map((part, at) => ({
    type: textOf(part.type) ?? '',
    text: textOf(part.text) ?? null,
    kind: textOf(kinds[at]) ?? null,
    isHook: objectOf(metadata[at]?.provenance)?.hook === true,
  }))
}

/** The id of the turn that an item belongs to. */
export function turnIdOf(item: JsonObject): string | null {
  return textOf(objectOf(item.internal_chat_message_metadata_passthrough)?.turn_id) ?? null
}

/** The text of parts, one under the other, without the marks that Codex sets around an image. */
export function textOfParts(parts: Part[]): string {
  return parts
    .filter((part, at) => part.text !== null && !isImageMark(parts, at))
    .map(part => part.text)
    .join('\n')
}

function isImageMark(parts: Part[], at: number): boolean {
  const isImage = (one: Part | undefined) => one?.type === 'input_image'
  const text = parts[at]?.text ?? ''
  return (
    (isImage(parts[at + 1]) && /^<image\b[^>]*>$/.test(text)) ||
    (isImage(parts[at - 1]) && text === '</image>')
  )
}

/** What was typed after `!`, where the text is Codex's form of it. */
export function shellCommand(text: string): string | null {
  const command = /^<user_shell_command>\n<command>\n([\s\S]*?)\n<\/command>\n/.exec(text)
  return command?.[1] ?? null
}

/** The text of what a user's item in an event holds. */
export function eventText(content: unknown): string {
  return objectsOf(content)
    .filter(part => part.type === 'text')
    .map(part => textOf(part.text) ?? '')
    .join('\n')
}
