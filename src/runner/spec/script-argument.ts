/** Programs that carry out an argument as a script, with the options that say which one. */
const INTERPRETERS: [program: RegExp, option: RegExp][] = [
  [/^(?:ba|z|k|mk|da|a|fi|c|tc)?sh$/, /^-[A-Za-z]*c[A-Za-z]*$|^--command$/],
  [/^(?:pwsh|powershell)$/i, /^-(?:c|command|e|ec|encodedcommand)$/i],
  [/^cmd$/i, /^\/[ckr]/i],
  [/^(?:python|pypy)[\d.]*$/, /^-[A-Za-z]*c$/],
  [/^(?:node|nodejs|bun)$/, /^-(?:e|p|pe)$|^--(?:eval|print)$/],
  [/^(?:perl|ruby)[\d.]*$/, /^-[A-Za-z]*[eE]$/],
  [/^php[\d.]*$/, /^-[rBRE]$/],
]

/**
 * Whether a template stands where a shell or another interpreter takes an argument for a script, or for an option that
 * could make the next one its script; also where another program, such as `env` or `timeout`, starts the shell.
 */
export function splicesScript(argv: readonly string[]): boolean {
  for (const [index, part] of argv.entries()) {
    const name = part.replace(/^.*[\\/]/, '').replace(/\.exe$/i, '')
    const found = INTERPRETERS.find(([program]) => program.test(name))
    // What stands behind the first one is its own.
    if (found) return splices(argv.slice(index + 1), found[1])
  }
  return false
}

const OPTION = /^[-+]|^\/[A-Za-z]$/

function splices(args: readonly string[], option: RegExp): boolean {
  for (const [index, part] of args.entries()) {
    if (part === '--') return false
    if (/^-[^=]*=.*\{\{/.test(part) || part.startsWith('{{')) return true
    if (option.test(part)) return args[index + 1]?.includes('{{') ?? false
    // What begins with no dash is a script's file, or the value of an option before it.
    if (!OPTION.test(part) && !/^[-+][A-Za-z]*[oOWX]$/.test(args[index - 1] ?? '')) return false
  }
  return false
}
