const UNITS = { s: 1_000, m: 60_000, h: 3_600_000 } as const

/** The form of a time span in a chain: a number and `s`, `m` or `h`, for example `90s` or `10m`. */
export const DURATION = /^([1-9]\d{0,5})(s|m|h)$/

/** Milliseconds of a time span that has the form. */
export function milliseconds(duration: string): number {
  const [, count = '0', unit = 's'] = DURATION.exec(duration) ?? []
  return Number(count) * UNITS[unit as keyof typeof UNITS]
}
