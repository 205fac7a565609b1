/** Rows as CSV (RFC 4180), for people who open it with a spreadsheet. */
export function toCsv(names: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const lines = [names, ...rows].map((cells) => cells.map(cellOf).join(","));
  // The mark at the beginning tells a spreadsheet that the text is UTF-8.
  return `\u{feff}${lines.join("\r\n")}\r\n`;
}

/** A spreadsheet runs text that begins so as a formula, wherever it came from. Numbers are no text, and stay numbers. */
const beginsFormula = /^[=+\-@\t\r]/;

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const safe = beginsFormula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
