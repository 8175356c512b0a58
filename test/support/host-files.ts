import { closeSync, constants, mkdirSync, openSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** One call that was made to the stand-in for the host's `$.fs`. */
export type HostCall = { call: 'stat' | 'write'; path: string }

const MOST_BYTES = 4_194_304

/**
 * A stand-in for the host's `$.fs` on the real file system, with the behaviour that was measured on it: folders
 * above are made, an existing file is overwritten in place from its head, errors carry the code in their message
 * under the name HooksError, and a write is limited to 4 MiB.
 */
export function hostFiles() {
  const calls: HostCall[] = []
  return {
    calls,
    fs: {
      async stat(path: string) {
        calls.push({ call: 'stat', path })
        return told('stat', path, () => ({ size: statSync(path).size }))
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
