/** Region and time, which identify an invite. The store keeps only the first half of a code, which begins with them. */
export const publicPartOf = (code: string): string => code.slice(0, "inv_us_".length + 14);

/** The same for any id, so that what a caller was told can be compared with what the store has. */
export const withoutSecret = (id: string): string => (id.startsWith("inv_") ? publicPartOf(id) : id);
