// An agent for tests: answers a prompt as the rules in its folder say, and writes down what it was asked.
//   node agent.mjs <name> <folder> [prompt]
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const [name, folder, argument] = process.argv.slice(2)
const prompt = argument ?? readFileSync(0, 'utf8')
appendFileSync(
  join(folder, 'calls.ndjson'),
  `${JSON.stringify({ agent: name, prompt, cwd: process.cwd(), pid: process.pid })}\n`,
)
const rules = JSON.parse(readFileSync(join(folder, 'rules.json'), 'utf8'))
const rule = rules.find(
  (one, index) =>
    (one.agent ?? name) === name && prompt.includes(one.when ?? '') && isLeft(index, one.times ?? Infinity),
)
if (!rule) {
  process.stderr.write(`no rule for ${name}: ${prompt}`)
  process.exit(9)
}
for (const [path, text] of Object.entries(rule.write ?? {})) {
  mkdirSync(dirname(join(process.cwd(), path)), { recursive: true })
  writeFileSync(join(process.cwd(), path), text)
}
if (rule.waitFor)
  while (!existsSync(join(folder, rule.waitFor))) await new Promise(done => setTimeout(done, 20))
if (rule.hang) await new Promise(() => setInterval(() => {}, 1000))
if (rule.repeat) for (let count = 0; count < rule.repeat; count++) process.stdout.write(rule.say)
else process.stdout.write(rule.sayEnv ? `it is ${process.env[rule.sayEnv]}` : (rule.say ?? 'ok'))
if (rule.stderr) process.stderr.write(rule.stderr)
process.exitCode = rule.exit ?? 0

/** Counts a rule's uses in files, since each call is a process of its own. */
function isLeft(index, times) {
  if (times === Infinity) return true
  for (let use = 0; use < times; use++) {
    try {
      writeFileSync(join(folder, `used-${index}-${use}`), '', { flag: 'wx' })
      return true
    } catch {
      // Used already.
    }
  }
  return false
}
