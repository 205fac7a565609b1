/** Whether any string in a JSON value passes the test, including names of members. */
export function someText(value: unknown, passes: (text: string) => boolean): boolean {
  if (typeof value === "string") return passes(value);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (someText(item, passes)) return true;
    return false;
  }
  for (const name of Object.keys(value)) {
    if (passes(name) || someText((value as Record<string, unknown>)[name], passes)) return true;
  }
  return false;
}
