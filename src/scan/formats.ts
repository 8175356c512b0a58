import { claudeFormat } from './claude/format.ts'
import { codexFormat } from './codex/format.ts'
import type { TranscriptFormat } from './transcript-format.ts'

/** Every format of transcripts that a scan reads. */
export const FORMATS: readonly TranscriptFormat[] = [claudeFormat, codexFormat]
