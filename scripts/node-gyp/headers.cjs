const { existsSync, readFileSync } = require('node:fs')
const { dirname, join } = require('node:path')

/** What a person sets to compile with headers of their choice, or for another program than this Node. */
const CHOICES = ['nodedir', 'target', 'runtime', 'disturl', 'dist_url']

/**
 * The folder to hand to node-gyp as `nodedir`, so that it fetches no headers: the one above the running Node's `bin`,
 * where the headers in it are of exactly this version. Null where they are not, or where the person chose otherwise.
 * `version` is Node's own, for example `v20.19.6`; `env` is the environment as npm sets it for install scripts.
 */
function headersBeside(execPath, version, env) {
  if (isChosen(env)) return null
  const folder = dirname(dirname(execPath))
  const headers = join(folder, 'include', 'node')
  const complete = existsSync(join(headers, 'common.gypi')) && existsSync(join(headers, 'node_version.h'))
  return complete && versionOf(readFileSync(join(headers, 'node_version.h'), 'utf8')) === version
    ? folder
    : null
}

/** node-gyp reads these names in either case, with `-` or `_`, from npm's settings or from a package's `config`. */
function isChosen(env) {
  return Object.keys(env).some(name => {
    const [, option] = /^npm_(?:package_)?config_(?:node_gyp_)?(.+)$/i.exec(name) ?? []
    return (
      option !== undefined && CHOICES.includes(option.toLowerCase().replaceAll('-', '_')) && env[name] !== ''
    )
  })
}

function versionOf(header) {
  const [major, minor, patch] = ['MAJOR', 'MINOR', 'PATCH'].map(
    part => new RegExp(`^#define NODE_${part}_VERSION (\\d+)$`, 'm').exec(header)?.[1],
  )
  return `v${major}.${minor}.${patch}`
}

module.exports = { headersBeside }
