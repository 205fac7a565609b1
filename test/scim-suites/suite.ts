/** Where a suite sends its requests. */
export interface Target {
  /** With `/scim/v2` at its end. */
  baseUrl: string;
  token: string;
}

/** One assertion of a suite: what it asserts, and what was wrong with the response, or null. */
export interface Check {
  name: string;
  problem: string | null;
}

export interface Answer {
  status: number;
  text: string;
  milliseconds: number;
}

/** Replaces `{{name}}`. A name that has no value is left as it is, so that the request shows it. */
export const filled = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replace(/\{\{([^{}]*)\}\}/g, (whole, name: string) => values.get(name) ?? whole);

export async function send(
  method: string,
  url: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Answer> {
  const begun = performance.now();
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  return { status: response.status, text, milliseconds: performance.now() - begun };
}

/** The problem that a check throws, in one line. */
export function checked(name: string, check: () => void): Check {
  try {
    check();
    return { name, problem: null };
  } catch (error) {
    return { name, problem: String(error instanceof Error ? error.message : error).slice(0, 300) };
  }
}

/** What an answer of JSON holds at a path such as `Resources[0].name.givenName`. */
export function valueAt(text: string, path: string): unknown {
  let value: unknown = JSON.parse(text);
  for (const [name] of path.matchAll(/[^.[\]]+/g)) value = (value as Record<string, unknown> | undefined)?.[name];
  return value;
}
