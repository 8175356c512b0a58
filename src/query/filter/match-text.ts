import type { Search, SearchTerm } from '../../database/dialect.ts'

/** What is wrong with a search, and at which character of it. */
export interface MatchFault {
  readonly what: string
  readonly index: number
  readonly fits: string
}

/** Whether a text holds anything that can be searched for; everything else separates words (`Dialect`). */
type IsSearchable = (text: string) => boolean

const SPACE = /\s*/y
const PIECE = /"((?:[^"]|"")*)"(\*?)|([^\s"]+)/y
const FORMS = 'a search is made of words, "phrases in double quotes", begin* and or'

/**
 * Reads a search (`schema "exact phrase" begin* or other`). All words must occur, `and` between them changes nothing,
 * `or` has the lowest rank; quote them to search for them.
 */
export function readSearch(search: string, isSearchable: IsSearchable): { search: Search } | MatchFault {
  const groups: SearchTerm[][] = [[]]
  let groupStart = 0
  for (let at = skipSpace(search, 0); at < search.length; at = skipSpace(search, at)) {
    PIECE.lastIndex = at
    const piece = PIECE.exec(search)
    if (!piece) return { what: 'a phrase that begins and has no end', index: at, fits: 'close it with "' }
    const group = groups.at(-1) as SearchTerm[]
    const operator = piece[3]?.toLowerCase()
    if (operator === 'or') {
      if (group.length === 0) return { what: 'nothing to search for before or', index: at, fits: FORMS }
      groups.push([])
      groupStart = PIECE.lastIndex
    } else if (operator !== 'and') {
      const term = readTerm(piece, at, isSearchable)
      if (term !== null && 'what' in term) return term
      if (term !== null) group.push(term)
    }
    at += piece[0].length
  }
  if (groups.at(-1)?.length === 0) return nothingIn(search, groupStart)
  return { search: groups }
}

function nothingIn(search: string, groupStart: number): MatchFault {
  const what = groupStart === 0 ? 'no letter or digit to search for' : 'nothing to search for after or'
  const index = Math.max(0, Math.min(skipSpace(search, groupStart), search.length - 1))
  return { what, index, fits: `${FORMS}; for other characters use like` }
}

function skipSpace(search: string, at: number): number {
  SPACE.lastIndex = at
  return at + (SPACE.exec(search)?.[0].length ?? 0)
}

/** A word or a quoted phrase; null where it holds nothing that could be searched. */
function readTerm(
  piece: RegExpExecArray,
  start: number,
  isSearchable: IsSearchable,
): SearchTerm | MatchFault | null {
  const word = piece[3] ?? ''
  const star = word.indexOf('*')
  if (star !== -1 && isSearchable(word.slice(star))) {
    return { what: 'a * that is not at the end of a word', index: start + star, fits: FORMS }
  }
  const text = piece[1] === undefined ? word.replaceAll('*', '') : piece[1].replaceAll('""', '"')
  if (!isSearchable(text)) return null
  return { text, isPrefix: star !== -1 || piece[2] === '*' }
}
