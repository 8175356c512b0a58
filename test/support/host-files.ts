import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/** One call that was made to the stand-in for the host's `$.fs`. */
export type HostCall = { call: 'stat' | 'write' | 'read' | 'list'; path: string }

const MOST_BYTES = 4_194_304

/**
 * A stand-in for the host's `$.fs` on the real file system, with the behaviour that was measured on it: folders
 * above are made, an existing file is overwritten in place from its head, errors carry the code in their message
 * under the name HooksError, a write is limited to 4 MiB, and a listing follows no link (docs/host.md, writing and
 * reading files).
 */
export function hostFiles() {
  const calls: HostCall[] = []
  return {
    calls,
    fs: {
      async stat(path: string) {
        calls.push({ call: 'stat', path })
        return told('stat', path, () => {
          const { size, mtimeMs } = statSync(path)
          return { kind: kindOf(statSync(path)), size, mtimeMs, isLink: lstatSync(path).isSymbolicLink() }
        })
      },
      async read(path: string) {
        calls.push({ call: 'read', path })
        return told('read', path, () => readFileSync(path, 'utf8'))
      },
      async list(path: string) {
        calls.push({ call: 'list', path })
        return told('list', path, () =>
          readdirSync(path).map(name => {
            const found = lstatSync(join(path, name))
            const { size, mtimeMs } = found.isFile() ? found : { size: 0, mtimeMs: 0 }
            return { name, kind: kindOf(found), size, mtimeMs, isLink: found.isSymbolicLink() }
          }),
        )
      },
      async write(path: string, text: string) {
        calls.push({ call: 'write', path })
        const bytes = Buffer.from(text)
        if (bytes.length > MOST_BYTES) {
          throw hostError(
            `coordination: $.fs.write(${path}) refused: ${bytes.length} bytes is over the ${MOST_BYTES}-byte limit`,
          )
        }
        return told('write', path, () => {
          mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
          // Neither O_TRUNC nor O_EXCL: what stands there is written over.
          const file = openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o600)
          writeSync(file, bytes)
          closeSync(file)
        })
      },
    },
  }
}

function kindOf(found: Stats): 'file' | 'dir' | 'other' {
  return found.isFile() ? 'file' : found.isDirectory() ? 'dir' : 'other'
}

function told<Result>(name: string, path: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw hostError(`coordination: $.fs.${name}(${path}) failed: ${(error as NodeJS.ErrnoException).code}`)
  }
}

function hostError(message: string): Error {
  const error = new Error(message)
  error.name = 'HooksError'
  return error
}
