import type { EngineInterface } from 'claude-code'

/**
 * Tells the host of the two tools and the command (toolJoin, toolTree, commandChain). The command first: the host has it
 * at once, and takes a moment for a tool, while a first prompt may be waiting.
 */
export async function registerToolsAndCommand($: EngineInterface): Promise<void> {
  await $.command.register({ name: 'chain', description: "Show this session's chain", immediate: true })
  await $.tool.register({
    name: 'chain_join',
    description:
      'Declares this session a lead of the session that started it. Call it first when your brief names a parent session id. It tells the parent once and says whether that was delivered.',
    inputSchema: {
      type: 'object',
      properties: {
        parent: { type: 'string', description: 'the full session id of the session that started this one' },
        part: { type: 'string', description: 'one line: what this session is to do' },
        brief: { type: 'string', description: 'where the brief is, if there is one' },
      },
      required: ['parent', 'part'],
    },
  })
  await $.tool.register({
    name: 'chain_tree',
    description:
      'Returns the chain of this session as text: each session with its full id, parent, part and when it was last heard. Last heard says nothing of whether a session is alive.',
    inputSchema: { type: 'object', properties: {} },
  })
}
