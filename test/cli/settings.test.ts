import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { schemaVersion } from '../../migrations/index.ts'
import {
  claudeFolder,
  given,
  placeFrom,
  runnerFolderFrom,
  surroundings,
  transcriptCache,
} from '../../src/cli/settings.ts'
import { recordKey } from '../../src/record/folders.ts'

const HOME = '/h'
const DEFAULT = '/h/.local/share/coordination/record'

describe('ruling 11: where the record lies', () => {
  it.each<[object, NodeJS.ProcessEnv, string]>([
    [{}, { HOME }, DEFAULT],
    [{}, { HOME, COORD_RECORD_DIR: '' }, DEFAULT],
    [{}, { HOME, COORD_RECORD_DIR: '/v' }, '/v'],
    [{ recordDir: '/o' }, { HOME, COORD_RECORD_DIR: '/v' }, '/o'],
    [{ recordDir: '~/r' }, { HOME }, '/h/r'],
    [{ recordDir: '~' }, { HOME }, '/h'],
    [{ recordDir: '~user' }, { HOME }, resolve('~user')],
    [{ recordDir: 'r' }, { HOME }, resolve('r')],
    [{ recordDir: './r/../s/' }, { HOME }, resolve('s')],
    [{}, { HOME, COORD_RECORD_DIR: '~/v' }, '/h/v'],
    [{}, { HOME, COORD_RECORD_DIR: 'v' }, resolve('v')],
    [{}, { HOME, XDG_DATA_HOME: '/d' }, '/d/coordination/record'],
  ])('with %j and %j', (options, env, recordDir) => {
    expect(placeFrom(options, env).recordDir).toBe(recordDir)
  })

  it('an option that names nothing is wrong usage, never the current folder', () => {
    for (const [name, options] of [
      ['--record-dir', { recordDir: '' }],
      ['--index', { index: '' }],
    ] as const)
      expect(() => placeFrom(options, { HOME })).toThrow(
        expect.objectContaining({
          kind: 'usage',
          message: `${name} names nothing`,
          hint: expect.stringContaining(name),
        }),
      )
    expect(given('--x', undefined)).toBeUndefined()
    expect(given('--x', 'y')).toBe('y')
  })
})

describe('where the index, the projections and the known results lie', () => {
  const key = recordKey(DEFAULT)

  it.each<[object, NodeJS.ProcessEnv, string]>([
    [{}, {}, `/h/.cache/coordination/${key}/index-v${schemaVersion}.db`],
    [{}, { XDG_CACHE_HOME: '/c' }, `/c/coordination/${key}/index-v${schemaVersion}.db`],
    [{}, { COORD_INDEX: '/i.db' }, '/i.db'],
    [{}, { COORD_INDEX: '' }, `/h/.cache/coordination/${key}/index-v${schemaVersion}.db`],
    [{ index: '/o.db' }, { COORD_INDEX: '/i.db' }, '/o.db'],
    [{ index: '~/o.db' }, {}, '/h/o.db'],
    [{ index: 'o.db' }, {}, resolve('o.db')],
  ])('with %j and %j the index is there', (options, env, indexPath) => {
    expect(placeFrom(options, { HOME, ...env }).indexPath).toBe(indexPath)
  })

  it('the others follow from the record alone', () => {
    const place = placeFrom({ index: '/o.db' }, { HOME, XDG_CACHE_HOME: '/c', XDG_DATA_HOME: '/d' })
    const own = recordKey('/d/coordination/record')
    expect(place.projectionDir).toBe(`/c/coordination/${own}`)
    expect(place.knownDir).toBe(`/d/coordination/known/${own}`)
  })

  it('what a scan has read, the runner’s folder and Claude Code’s', () => {
    expect(transcriptCache({ HOME })).toBe('/h/.cache/coordination/transcripts')
    expect(transcriptCache({ HOME, XDG_CACHE_HOME: '/c' })).toBe('/c/coordination/transcripts')
    expect(runnerFolderFrom({ HOME })).toBe('/h/.local/share/agent-collab')
    expect(runnerFolderFrom({ HOME, XDG_DATA_HOME: '/d' })).toBe('/d/agent-collab')
    expect(claudeFolder({ HOME })).toBe('/h/.claude')
    expect(claudeFolder({ HOME, CLAUDE_CONFIG_DIR: '/k' })).toBe('/k')
    expect(claudeFolder({ HOME, CLAUDE_CONFIG_DIR: '' })).toBe('/h/.claude')
  })

  it('home is HOME, else what the system says', () => {
    expect(surroundings({ HOME }).home).toBe(HOME)
    expect(surroundings({ HOME: '' }).home).toBe(homedir())
    expect(surroundings({})).toMatchObject({ home: homedir(), platform: process.platform })
    expect(surroundings({ LOCALAPPDATA: 'l' }).localAppData).toBe('l')
  })

  it('a home that is no absolute path is a problem of the environment', () => {
    for (const place of [placeFrom.bind(null, {}), transcriptCache, runnerFolderFrom])
      expect(() => place({ HOME: 'h' })).toThrow(
        expect.objectContaining({ kind: 'environment', message: expect.stringContaining('HOME') }),
      )
    expect(placeFrom({ recordDir: '/r' }, { HOME: 'h', XDG_CACHE_HOME: '/c' })).toMatchObject({
      ...{ recordDir: '/r', knownDir: null },
      projectionDir: join('/c/coordination', recordKey('/r')),
    })
  })
})
