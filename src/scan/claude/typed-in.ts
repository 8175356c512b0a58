/** A slash command as a person types it, from the tags that Claude Code writes for it; null where there is none. */
export function typedIn(text: string): string | null {
  const name = between(text, 'command-name')
  if (name === null) return null
  const args = between(text, 'command-args')
  const typed = name.startsWith('/') ? name : `/${name}`
  return args === null || args === '' ? typed : `${typed} ${args}`
}

function between(text: string, tag: string): string | null {
  const open = text.indexOf(`<${tag}>`)
  const start = open + tag.length + 2
  const end = text.indexOf(`</${tag}>`, start)
  return open === -1 || end === -1 ? null : text.slice(start, end)
}
