const pageBytesMax = 1024 * 1024;

/**
 * How many rows of these sizes make up a page. `limit` says how many at most: a page of large rows ends early, because a
 * hundred of the largest would delay all other callers.
 */
export function fittingOf(sizes: readonly number[], limit: number): number {
  let bytes = 0;
  const fitting = sizes.findIndex((size) => {
    bytes += size;
    return bytes > pageBytesMax;
  });
  return fitting < 0 ? limit : Math.min(limit, Math.max(1, fitting));
}
