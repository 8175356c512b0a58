/** What an output needs to know of a column; a query's columns are such. */
export interface OutputColumn {
  readonly name: string
  readonly type: 'text' | 'number' | 'boolean' | 'time'
}

export type Row = Readonly<Record<string, unknown>>
