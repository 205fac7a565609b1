/** A value in a few characters. */
export function shortValue(value: unknown): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return `list of ${value.length}`;
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
