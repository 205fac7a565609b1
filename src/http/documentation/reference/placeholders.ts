/** Values in a call to copy: an example id is not valid, so the call shows a placeholder such as `<project_id>`. */

export const quoted = (text: string): string =>
  /^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** A value that reads well stays, such as a step's id. */
export const pathValue = (name: string, value: unknown): string =>
  typeof value === "string" && !value.endsWith("…") ? value : `<${name}>`;

/** `org_us_…` becomes `<organization_id>`. */
export function withPlaceholders<T>(value: T, name = ""): T {
  if (typeof value === "string") return (value.endsWith("_…") || value === "…" ? `<${name}>` : value) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => withPlaceholders(each, name)) as T;
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [member, withPlaceholders(inner, member)]),
  ) as T;
}
