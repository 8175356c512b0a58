import { expect, it } from 'vitest'
import { Problem } from '../../src/problem/problem.ts'

it('a problem says what, where, why and the way out', () => {
  const cause = new Error('EACCES')
  const problem = new Problem('record', 'a sentence', { hint: 'do this', path: '/r', cause })
  expect(problem).toBeInstanceOf(Error)
  expect(problem).toMatchObject({
    name: 'Problem',
    kind: 'record',
    message: 'a sentence',
    hint: 'do this',
    path: '/r',
    cause,
  })
})

it('what is not known of a problem is not there', () => {
  const problem = new Problem('failed', 'a sentence')
  expect([problem.hint, problem.path, problem.cause]).toEqual([undefined, undefined, undefined])
})
