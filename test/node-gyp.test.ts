import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from './support/temp-folder.ts'

const FOLDER = resolve(import.meta.dirname, '../scripts/node-gyp')
const { headersBeside } = createRequire(import.meta.url)(join(FOLDER, 'headers.cjs')) as {
  headersBeside(execPath: string, version: string, env: NodeJS.ProcessEnv): string | null
}

/** A Node of a version with its headers, as its makers lay it out; gives the path of its program. */
function nodeWithHeaders([major, minor, patch]: [number, number, number]): string {
  const folder = tempFolder()
  mkdirSync(join(folder, 'include/node'), { recursive: true })
  writeFileSync(join(folder, 'include/node/common.gypi'), '{}')
  writeFileSync(
    join(folder, 'include/node/node_version.h'),
    `#ifndef SRC_NODE_VERSION_H_
#define NODE_MAJOR_VERSION ${major}
#define NODE_MINOR_VERSION ${minor}
#define NODE_PATCH_VERSION ${patch}
#define NODE_VERSION_IS_LTS 1
`,
  )
  return join(folder, 'bin/node')
}

describe('which headers native modules are compiled with', () => {
  it('those beside the running Node, where they are of its version', () => {
    const node = nodeWithHeaders([22, 23, 5])
    expect(headersBeside(node, 'v22.23.5', {})).toBe(dirname(dirname(node)))
    expect(headersBeside(node, 'v22.23.5', { npm_config_nodedir: '', npm_config_cache: '/c' })).not.toBeNull()
  })

  it.each(['v22.23.4', 'v22.22.5', 'v20.23.5', 'v22.23.50', 'v22.23.5-nightly20260101'])(
    'never those of another version: 22.23.5 beside Node %s',
    version => {
      expect(headersBeside(nodeWithHeaders([22, 23, 5]), version, {})).toBeNull()
    },
  )

  it.each(['common.gypi', 'node_version.h'])('never a part of them: without %s', part => {
    const node = nodeWithHeaders([22, 23, 5])
    rmSync(join(dirname(dirname(node)), 'include/node', part))
    expect(headersBeside(node, 'v22.23.5', {})).toBeNull()
  })

  it.each([
    'npm_config_nodedir',
    'NPM_CONFIG_NODEDIR',
    'npm_package_config_node_gyp_nodedir',
    'npm_config_target',
    'npm_config_runtime',
    'npm_config_disturl',
    'npm_config_dist_url',
    'npm_package_config_node_gyp_dist-url',
  ])('what the person chose wins: %s', name => {
    expect(headersBeside(nodeWithHeaders([22, 23, 5]), 'v22.23.5', { [name]: 'chosen' })).toBeNull()
  })
})

describe("the node-gyp that stands before npm's", () => {
  /** Runs it with a stand-in for npm's own, which says how it was called. */
  function run(env: NodeJS.ProcessEnv, ...args: string[]) {
    const own = join(tempFolder(), 'node-gyp.js')
    writeFileSync(
      own,
      'console.log(JSON.stringify([process.env.npm_config_nodedir ?? null, ...process.argv.slice(1)]))\nprocess.exitCode = 7',
    )
    const { status, stdout } = spawnSync(process.execPath, [join(FOLDER, 'node-gyp.cjs'), ...args], {
      env: { npm_config_node_gyp: own, ...env },
      encoding: 'utf8',
    })
    return { status, own, said: JSON.parse(stdout) as (string | null)[] }
  }

  it("hands everything to npm's own, with the headers beside this Node", () => {
    const { status, own, said } = run({}, 'rebuild', '--release')
    expect(status).toBe(7)
    expect(said).toEqual([headersBeside(process.execPath, process.version, {}), own, 'rebuild', '--release'])
  })

  it('a nodedir that the person set stays as it is', () => {
    expect(run({ npm_config_nodedir: '/opt/headers' }, 'rebuild').said[0]).toBe('/opt/headers')
  })

  it('without npm it says how it is run', () => {
    const { status, stderr } = spawnSync(process.execPath, [join(FOLDER, 'node-gyp.cjs'), 'rebuild'], {
      env: {},
      encoding: 'utf8',
    })
    expect(status).toBe(2)
    expect(stderr).toMatch(/^node-gyp: .*npm rebuild better-sqlite3\n$/)
  })
})
