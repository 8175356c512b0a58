import type { Findings, RowReader } from './extract/found.ts'
import type { Product } from './message.ts'
import type { JsonObject } from './transcripts/json-row.ts'

/**
 * What a program that writes transcripts is to a scan. One folder beside this file knows one program and says it by a
 * constant of this type (`format.ts`); `formats.ts` lists them, and nothing else in the scan knows any of them.
 * docs/scan-inside.md says how to add one.
 */
export interface TranscriptFormat {
  /** The program's name in results: small letters, digits and dashes. */
  product: Product
  /** Its name for people. */
  title: string
  home: FormatHome
  /** Whether the program wrote a row, by its shape and not by where its file lies. No row is of two formats. */
  wrote(row: JsonObject): boolean
  /** Notes what a row says of its transcript as a whole. */
  describe(row: JsonObject, whole: WholeNotes): void
  /**
   * Reads the rows of one transcript in their order: judges whose words a row holds, follows what a turn does, tells
   * both as findings.
   *
   * @param before the state that an earlier reading left; null at the beginning of a transcript
   * @param id the session's id where no row states one
   */
  reader(before: unknown, id: string, findings: Findings): RowReader
  /** A line of the list of typed prompts that the program keeps beside its transcripts; null where it is none. */
  listedPrompt(row: JsonObject): ListedPrompt | null
  /**
   * What a person typed, where a text of a row holds it in a form of the program's own; null where it does not. The
   * final check alone asks. It is written apart from what judges rows, so that no mistake there hides itself here.
   */
  typedIn(text: string): string | null
}

/** Where a program keeps what it writes. */
export interface FormatHome {
  /** The option of `coord scan` that names roots, without dashes; results keep the roots under this name. */
  option: string
  /** The variable of the environment that names the program's own folder. */
  variable: string
  /** Its own folder where no variable does, below the home folder. */
  folder: string
  /** The folders of transcripts in it. */
  transcripts: readonly string[]
}

/** Takes what rows say of their transcript; anything but a text says nothing. */
export interface WholeNotes {
  session(id: unknown): void
  /** The session in which a row was written before it was copied here. */
  derivedFrom(id: unknown): void
  cwd(path: unknown): void
  version(version: unknown): void
  at(time: string | null): void
}

export interface ListedPrompt {
  words: string
  session: string
  at: string | null
  cwd: string | null
  /** The prompt with what was pasted in the place of its marks, where the list holds that. */
  expanded: string
}

/** The names of programs for a sentence: `A, B or C`. */
export function titlesOf(formats: readonly TranscriptFormat[]): string {
  const titles = formats.map(({ title }) => title)
  return [titles.slice(0, -1).join(', '), ...titles.slice(-1)].filter(part => part !== '').join(' or ')
}
