import type { TranscriptFormat } from '../../../src/scan/transcript-format.ts'
import { momentOf, textOf } from '../../../src/scan/transcripts/json-row.ts'
import { read } from './read.ts'

/** A program that nobody has: what a third format takes, all of it in this folder. */
export const quillFormat: TranscriptFormat = {
  product: 'quill',
  title: 'Quill',
  home: { option: 'quill', variable: 'QUILL_HOME', folder: '.quill', transcripts: ['notebooks'] },
  wrote: row => typeof row.quill === 'string',
  describe(row, whole) {
    whole.session(row.notebook)
    whole.cwd(row.folder)
    whole.version(row.release)
    whole.at(momentOf(row.when))
  },
  reader: read,
  listedPrompt: row =>
    typeof row.inked === 'string'
      ? {
          words: row.inked,
          session: textOf(row.notebook) ?? '',
          at: momentOf(row.when),
          cwd: null,
          expanded: row.inked,
        }
      : null,
  typedIn: text => /^\[\[(.*)\|(.*)\]\]$/.exec(text)?.slice(1).join(' ') ?? null,
}
