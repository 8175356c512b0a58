import { truncateSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readManifest } from '../../../src/scan/result/read-result.ts'
import { resultFile } from '../../../src/scan/result/result-folder.ts'
import { tempFolder } from '../../support/temp-folder.ts'

it('a manifest that is larger than any scan makes one is not taken into memory', () => {
  const out = tempFolder()
  const path = resultFile(out, 'manifest')
  writeFileSync(path, '')
  truncateSync(path, (256 << 20) + 1)
  expect(() => readManifest(out)).toThrow(`${path} cannot be read: it is over ${256 << 20} bytes`)
})
