const pageBytesMax = 1024 * 1024;

/**
 * How many rows of these sizes fit on a page of at most `limit` rows. A page of large rows ends early: a hundred of the
 * largest would delay all other callers.
 */
export function rowsThatFit(sizes: readonly number[], limit: number): number {
  let bytes = 0;
  const fitting = sizes.findIndex((size) => {
    bytes += size;
    return bytes > pageBytesMax;
  });
  return fitting < 0 ? limit : Math.min(limit, Math.max(1, fitting));
}
