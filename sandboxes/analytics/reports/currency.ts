import { invalid } from "../wire/api-error.ts";

/** What one euro is worth, fixed for good so that the same question keeps its answer. */
const perEuro: Record<string, number> = {
  EUR: 1,
  USD: 1.08,
  GBP: 0.85,
  CHF: 0.95,
  JPY: 162,
  CAD: 1.48,
  AUD: 1.65,
  SEK: 11.4,
  NOK: 11.6,
  DKK: 7.46,
  PLN: 4.3,
  BRL: 5.9,
  INR: 91,
  MXN: 19.5,
  CNY: 7.8,
};

const known = new Set(Intl.supportedValuesOf("currency"));
export const isCurrency = (code: string): boolean => known.has(code);

/** From one currency to another. A currency without a rate here is taken one to one. */
export function currencyRate(from: string, to: string): number {
  if (!isCurrency(to)) throw invalid(`Invalid currencyCode: ${to}. A three-letter ISO 4217 currency code is required.`);
  return from === to ? 1 : (perEuro[to] ?? 1) / (perEuro[from] ?? 1);
}
