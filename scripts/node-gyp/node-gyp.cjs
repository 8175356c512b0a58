#!/usr/bin/env node
// npm runs this where a package's install script says `node-gyp`, since it stands in node_modules/.bin. It only names
// the headers; everything else is done by npm's own node-gyp, which npm names in the environment.
const { headersBeside } = require('./headers.cjs')

const { env, execPath, version } = process
const program = env.npm_config_node_gyp
if (!program) {
  console.error('node-gyp: run it through npm, for example: npm rebuild better-sqlite3')
  process.exit(2)
}
const nodedir = headersBeside(execPath, version, env)
if (nodedir !== null) env.npm_config_nodedir = nodedir
// node-gyp takes itself for the main program only where it is called as one.
process.argv[1] = program
require(program)
