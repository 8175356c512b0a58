const UNITS = { s: 1_000, m: 60_000, h: 3_600_000 } as const

/** A timer of Node that is set for longer goes off at once. */
const LONGEST = 2_147_483_647

/** The form of a time span in a chain: a number and `s`, `m` or `h`, for example `90s` or `10m`. */
export const DURATION = /^([1-9]\d{0,5})(s|m|h)$/

/** Milliseconds of a time span that has the form; at most some 24 days. */
export function milliseconds(duration: string): number {
  const [, count = '0', unit = 's'] = DURATION.exec(duration) ?? []
  return Math.min(Number(count) * UNITS[unit as keyof typeof UNITS], LONGEST)
}
