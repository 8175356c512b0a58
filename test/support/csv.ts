/** Reads CSV as a spreadsheet does (RFC 4180, LF or CR LF); throws where a quote stands in the wrong place. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    let cell = ''
    if (text[at] === '"') {
      at += 1
      for (;;) {
        const end = text.indexOf('"', at)
        if (end < 0) throw new Error('a quoted cell has no end')
        cell += text.slice(at, end)
        at = end + 1
        if (text[at] !== '"') break
        cell += '"'
        at += 1
      }
    } else {
      const end = /[,\r\n]|$/.exec(text.slice(at))?.index ?? 0
      cell = text.slice(at, at + end)
      if (cell.includes('"')) throw new Error(`a quote inside a plain cell: ${cell}`)
      at += end
    }
    row.push(cell)
    const separator = text.startsWith('\r\n', at) ? '\r\n' : (text[at] ?? '\n')
    if (separator !== ',' && !separator.endsWith('\n')) throw new Error(`${separator} after a cell`)
    at += separator.length
    if (separator !== ',') {
      rows.push(row)
      row = []
    }
  }
  if (row.length > 0) rows.push([...row, ''])
  return rows
}
