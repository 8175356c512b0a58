/** What is looked for and replaced before anything is written or handed on. */
export interface Secrets {
  /** The text with every value of a secret variable replaced by `[redacted NAME]`. */
  redact(text: string): string
  /** The name of the first secret whose value a text holds; null where it holds none. */
  nameIn(text: string): string | null
}

const SECRET_NAME =
  /KEY|TOKEN|SECRET|PASS(WORD|WD|PHRASE)?($|_)|CREDENTIAL|AUTH(?!OR(_|S?$))|COOKIE|PRIVATE|_PWD$|DSN$/i
/** An address with a password in it, whatever the variable is named. */
const PASSWORD_IN_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]*:([^/?#\s@]+)@/i
/** Variables named so point to something; what they hold is a place. */
const PLACE_NAME = /_(SOCK|FILE|PATH|DIR|FD|AGENT_PID)$/i
/** Shorter values would be found in ordinary text. */
const SHORTEST = 8

/**
 * Secrets of an environment: the values of variables whose names look secret, passwords in addresses, and all that the
 * person's settings give to agents. A value is also found as JSON, in a URL and in base64.
 */
export function secretsOf(env: NodeJS.ProcessEnv, given: Record<string, string> = {}): Secrets {
  const named = Object.entries(env).filter(([name]) => SECRET_NAME.test(name) && !PLACE_NAME.test(name))
  const inAddresses = Object.entries(env).flatMap(([name, value]): [string, string][] => {
    const password = PASSWORD_IN_ADDRESS.exec(value ?? '')?.[1]
    return password === undefined ? [] : [[name, password]]
  })
  const forms = new Map<string, string>()
  for (const [name, value] of [...named, ...inAddresses, ...Object.entries(given)]) {
    if (value === undefined || value.length < SHORTEST || /^(true|false|\d+)$/.test(value)) continue
    for (const form of formsOf(value)) if (form.length >= SHORTEST) forms.set(form, name)
  }
  // A longer value first: a shorter one may be a part of it.
  const ordered = [...forms].sort(([a], [b]) => b.length - a.length)
  return {
    redact: text => ordered.reduce((left, [form, name]) => left.replaceAll(form, `[redacted ${name}]`), text),
    nameIn: text => ordered.find(([form]) => text.includes(form))?.[1] ?? null,
  }
}

function formsOf(value: string): string[] {
  const base64 = Buffer.from(value).toString('base64')
  const trimmed = value.trim()
  return [
    value,
    trimmed,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
    base64,
    base64.replace(/=+$/, ''),
    Buffer.from(value).toString('base64url'),
  ]
}

/** A value of any depth with every text in it redacted. */
export function redactDeep(value: unknown, secrets: Secrets): unknown {
  if (typeof value === 'string') return secrets.redact(value)
  if (Array.isArray(value)) return value.map(part => redactDeep(part, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [secrets.redact(key), redactDeep(part, secrets)]),
  )
}
