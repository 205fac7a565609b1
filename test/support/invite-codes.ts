/** What names an invite without being a secret: the store hides the rest of a code. */
export const publicPartOf = (code: string): string => code.slice(0, "inv_us_".length + 14);
