/** The three ways in which tests run the host. */
export { type InteractiveSession, interactive } from './interactive.ts'
export { type Printed, print } from './print.ts'
export type { Session, SessionOptions } from './session-options.ts'
export { type StreamEvent, type StreamSession, stream } from './stream.ts'
