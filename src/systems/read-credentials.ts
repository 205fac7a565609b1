import { Problem } from "../kernel/problem.ts";

/** Reads members of a caller's credentials. Problems name the member, never its value. */

const textMax = 20_000;

/** The first of `names` that is given, or undefined. */
export function readText(given: Record<string, unknown>, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = given[name];
    if (value === undefined || value === null) continue;
    // A line break or a blank around it comes from copying; one inside would end up in a header.
    const text = typeof value === "string" ? value.trim() : "";
    if (text === "" || text.length > textMax || !/^[\x21-\x7e]+$/.test(text)) {
      throw refusedCredentials(name, "must be one line of visible characters", "invalid_value");
    }
    return text;
  }
  return undefined;
}

export function requireText(given: Record<string, unknown>, ...names: string[]): string {
  const text = readText(given, ...names);
  if (text === undefined) throw refusedCredentials(names[0] ?? "", "is needed", "missing");
  return text;
}

/** An empty name means the credentials as a whole. */
export const refusedCredentials = (name: string, why: string, code: string): Problem => {
  const pointer = name === "" ? "#/credentials" : `#/credentials/${name}`;
  const detail = name === "" ? `\`credentials\` ${why}.` : `\`${name}\` ${why}.`;
  return new Problem("validation_failed", detail, { errors: [{ pointer, code, detail }] });
};
