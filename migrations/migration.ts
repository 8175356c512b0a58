/** One numbered step of the index's schema. Tables come first and indexes last, so that a rebuild loads before it sorts. */
export interface Migration {
  tables: string
  indexes: string
}
