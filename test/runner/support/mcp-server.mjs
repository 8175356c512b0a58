// An MCP server for tests, over standard input and output.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 'notes', version: '1.0.0' })
const text = words => ({ content: [{ type: 'text', text: words }] })
server.registerTool('echo', { inputSchema: { text: z.string() } }, input => text(input.text))
server.registerTool('word', {}, () => text(process.env.NOTES_WORD ?? 'none'))
server.registerTool('long', {}, () => text('x'.repeat(110) + process.env.NOTES_WORD))
server.registerTool('fail', {}, () => ({ ...text('it broke'), isError: true }))
// Some servers greet where only messages belong.
console.log('notes 1.0.0')
await server.connect(new StdioServerTransport())
