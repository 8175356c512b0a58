/** What makes root stop at rights like any other user; other users need nothing. */
export const withoutRootRights: string[] =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []
