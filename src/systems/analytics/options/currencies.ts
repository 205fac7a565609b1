/** ISO 4217, from the runtime's own tables. */
export const currencies: readonly string[] = Intl.supportedValuesOf("currency");

const known = new Set(currencies);
export const isCurrency = (code: string): boolean => known.has(code);
