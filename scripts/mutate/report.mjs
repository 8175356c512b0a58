// What a run over one room has found, for people and as a document.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const NOTICED = ['Killed', 'Timeout']
const SURVIVED = ['Survived', 'NoCoverage']
/** How a verdict begins when no test failed and yet the run did, by an error that nothing caught. */
const UNCAUGHT = 'An error occurred outside of a test run'

/** `found` is what Stryker found. A mutant without a verdict (the run of its tests broke down) counts on neither side. */
export function toldOf(room, found, about) {
  const results = found.map(result =>
    result.statusReason?.startsWith(UNCAUGHT) ? { ...result, status: 'Killed' } : result,
  )
  const counted = results.filter(({ status }) => [...NOTICED, ...SURVIVED].includes(status))
  const others = results.filter(result => !counted.includes(result))
  const survivors = counted.filter(({ status }) => SURVIVED.includes(status)).map(survivorOf)
  const of = status => counted.filter(result => result.status === status).length
  const noticed = counted.length - survivors.length
  const percent = counted.length === 0 ? 100 : Math.floor((noticed / counted.length) * 1000) / 10
  const line = [
    `${room}: noticed ${noticed} of ${counted.length} (${percent} %)`,
    ...(of('Timeout') > 0 ? [`${of('Timeout')} by running too long`] : []),
    ...(of('NoCoverage') > 0 ? [`${of('NoCoverage')} reached by no test`] : []),
    ...(others.length > 0 ? [`${others.length} without a verdict`] : []),
    `${about.seconds} s`,
  ].join(', ')
  return {
    text: [line, ...survivors.map(({ text }) => `  ${text}`)].join('\n'),
    result: {
      room,
      ...about,
      noticed,
      counted: counted.length,
      percent,
      timeouts: of('Timeout'),
      survivors,
      noticedBy: counted.filter(({ status }) => status === 'Killed').map(noticeOf),
      others: others.map(result => ({
        ...placeOf(result),
        status: result.status,
        reason: result.statusReason,
      })),
    },
  }
}

function survivorOf(result) {
  const { place, mutator, before, after } = placeOf(result)
  const reached = result.status === 'NoCoverage' ? ' (reached by no test)' : ''
  const text = `${place} ${mutator}: ${short(before)} -> ${short(after)}${reached}`
  return { place, mutator, before, after, reached: result.status !== 'NoCoverage', text }
}

function noticeOf(result) {
  return { ...placeOf(result), by: result.killedBy ?? [result.statusReason] }
}

function placeOf({ fileName, location: { start, end }, mutatorName, replacement }) {
  const file = relative(process.cwd(), fileName)
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line)
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1)
  lines[0] = lines[0].slice(start.column - 1)
  return {
    place: `${file}:${start.line}:${start.column}`,
    mutator: mutatorName,
    before: lines.join('\n'),
    after: replacement,
  }
}

/** One line of at most 90 characters. */
function short(text) {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 90 ? `${line.slice(0, 89)}…` : line
}
