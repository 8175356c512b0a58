import { envelope, type Fields, startFields } from './record-builder.ts'

const common = { sessionId: 'session-1', at: '2026-11-01T10:00:00.000Z', cwd: '/home/dev/project' }

/** One whole entry of each form, with every field it can have. */
export const wholeEntries = {
  start: { kind: 'start', ...startFields, ...common, cause: 'startup', missing: 2 },
  chain: { kind: 'chain', ...common, parent: 'session-0', part: 'the tests', brief: 'docs/brief.md' },
  sent: {
    kind: 'message',
    ...common,
    side: 'sent',
    peer: { as: 'reviewer', sessionId: 'session-2' },
    text: 'hello',
    isQueued: false,
    reason: 'no such peer',
    msgId: 'b45b5098-0000-4000-8000-000000000000',
  },
  received: {
    kind: 'message',
    ...common,
    side: 'received',
    peer: { as: 'uds:/run/s/1.sock' },
    envelope,
    text: 'hello',
    outcome: 'queued',
    missing: 2,
  },
} satisfies Record<string, Fields>
