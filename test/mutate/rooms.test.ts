import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
// @ts-expect-error a script, without types
import { allSources, ROOMS, roomsOf, testsOf } from '../../scripts/mutate/rooms.mjs'

const root = resolve(import.meta.dirname, '../..')
const rooms = Object.entries(ROOMS as Record<string, { sources: string[]; tests?: string[] }>)

describe('the rooms of mutation testing', () => {
  it('hold each source file once', () => {
    const rooms = (allSources() as string[]).map(file => [file, roomsOf(file)] as const)
    expect(rooms.length).toBeGreaterThan(200)
    expect(rooms.filter(([, of]) => of.length !== 1)).toEqual([])
  })

  it.each(rooms)('%s names only what is there, has sources and tests', (room, { sources, tests = [] }) => {
    expect([...sources, ...tests].filter(path => !existsSync(join(root, path)))).toEqual([])
    expect((allSources() as string[]).some(file => roomsOf(file)[0] === room)).toBe(true)
    expect(testsOf(room)).not.toEqual([])
  })

  it('have a part each in docs/tests.md, in the same order', () => {
    const parts = readFileSync(join(root, 'docs/tests.md'), 'utf8').split('## Rooms')[1] ?? ''
    expect([...parts.matchAll(/^### (.+)$/gm)].map(([, name]) => name)).toEqual(rooms.map(([room]) => room))
  })
})
