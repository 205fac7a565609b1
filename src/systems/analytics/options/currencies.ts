const codes = Intl.supportedValuesOf("currency");
const known = new Set(codes);

/** ISO 4217, from the runtime's own tables. */
export const currencies: readonly string[] = codes;
export const isCurrency = (code: string): boolean => known.has(code);
