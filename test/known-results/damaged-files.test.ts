import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readKnownResult } from '../../src/known-results/list-known-results.ts'
import { BAD_JSON_FILES } from '../support/bad-files.ts'
import { tempFolder } from '../support/temp-folder.ts'

describe('the file of a known result', () => {
  it.each(BAD_JSON_FILES)('is damaged where there is %s', (_, put, said) => {
    const folder = tempFolder()
    put(join(folder, 'scan.json'))
    expect(readKnownResult(folder, 'scan.json')).toEqual({ problem: expect.stringMatching(said) })
  })
})
