// Writes the format of YAML chains as a JSON Schema, for editors: chains/chain.schema.json.
import { writeFileSync } from 'node:fs'
import { build } from 'esbuild'

const { outputFiles } = await build({
  stdin: {
    contents: "export { publishedSchema } from './src/runner/spec/published-schema.ts'",
    resolveDir: process.cwd(),
    loader: 'ts',
  },
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
})
const module = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
writeFileSync('chains/chain.schema.json', (await import(module)).publishedSchema())
