/** An id for the comparison of ids that are numbers: list 007 is list 7. */
export const numberedId = (id: string): string => (/^\d+$/.test(id) ? id.replace(/^0+(?=\d)/, "") : id);
