import { invalid } from "../wire/api-error.ts";

const defaultSize = 50;
const sizeMax = 200;

/** One page of a list. The token holds the position and the query, because only the page may differ between two calls. */
export function pageOf<Thing>(
  things: Thing[],
  field: string,
  query: URLSearchParams,
  question: string,
): Record<string, unknown> {
  const size = readSize(query.get("pageSize") ?? query.get("page_size"));
  const token = query.get("pageToken") || query.get("page_token");
  const from = token ? readToken(token, question) : 0;
  const page = things.slice(from, from + size);
  const next = from + size < things.length ? { nextPageToken: writeToken(from + size, question) } : {};
  // An empty list is left out, as every default.
  return { ...(page.length > 0 ? { [field]: page } : {}), ...next };
}

/** A larger size than allowed is lowered silently; a negative one is refused. */
function readSize(text: string | null): number {
  if (text === null || text === "") return defaultSize;
  const size = Number(text);
  if (!Number.isInteger(size)) throw invalid(`Invalid value at 'page_size' (TYPE_INT32), "${text}"`);
  if (size < 0) throw invalid(`The page size must be positive. The API received page_size = ${size}`);
  return size === 0 ? defaultSize : Math.min(size, sizeMax);
}

const writeToken = (from: number, question: string): string => Buffer.from(`${from}|${question}`).toString("base64url");

function readToken(token: string, question: string): number {
  const [from = "", ...rest] = Buffer.from(token, "base64url").toString().split("|");
  if (!/^\d+$/.test(from) || rest.join("|") !== question) throw invalid("The page token is invalid.");
  return Number(from);
}
