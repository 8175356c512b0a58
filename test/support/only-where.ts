import { type TestAPI, test } from 'vitest'

/**
 * The `test` for what can be seen only where `holds` is true. Elsewhere it is skipped, and the closing report of
 * `npm test` says `why`: a skipped test that nobody is told of looks like one that passed.
 */
export function onlyWhere(holds: boolean, why: string): TestAPI {
  return test.extend<{ here: undefined }>({
    here: [
      async ({ skip }, use) => {
        skip(!holds, why)
        await use(undefined)
      },
      { auto: true },
    ],
  })
}

export const isLinux = process.platform === 'linux'
export const isPosix = process.platform !== 'win32'
