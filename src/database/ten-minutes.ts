/** So much of a time's text says in which ten minutes of the clock it is: equal texts are found by an index. */
export const TEN_MINUTES = '2026-11-01T10:0'.length
