import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'

/** Ways in which a file of JSON cannot be used: what stands in its place, and what has to be said of it. */
export const BAD_JSON_FILES: [name: string, put: (path: string) => void, said: RegExp][] = [
  ['a folder', path => mkdirSync(path), /is no file/],
  ['not UTF-8', path => writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d])), /is not UTF-8/],
  ['a byte order mark', path => writeFileSync(path, '\ufeff{}'), /begins with a byte order mark/],
  ['half a value', path => writeFileSync(path, '{"a":'), /is not JSON/],
  ['brackets without an end', path => writeFileSync(path, '['.repeat(20_000)), /is not JSON/],
  [
    'a value that nests too deep',
    path => writeFileSync(path, `${'['.repeat(20_000)}${']'.repeat(20_000)}`),
    /is not JSON: it is more than 200 levels deep/,
  ],
  ['more than can be', path => writeFileSync(path, ' '.repeat(17 * 1_048_576)), /is over \d+ bytes/],
  ...(process.platform === 'win32'
    ? []
    : ([['a pipe', path => execFileSync('mkfifo', [path]), /is no file/]] as typeof BAD_JSON_FILES)),
]
