import { badRequest } from "./api-error.ts";

/** A query parameter that is a whole number, or null where it is not sent. */
export function readInteger(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null || text === "") return null;
  const number = Number(text);
  if (!Number.isInteger(number)) throw badRequest(`Invalid request: \`${name}\` should be integer.`);
  return number;
}

const pageSizeDefault = 20;
const pageSizeMax = 100;

export function readLimit(query: URLSearchParams): number {
  const limit = readInteger(query, "limit") ?? pageSizeDefault;
  if (limit < 1) throw badRequest("Invalid request: `limit` should be >= 1.");
  if (limit > pageSizeMax) throw badRequest(`Invalid request: \`limit\` should be <= ${pageSizeMax}.`);
  return limit;
}

/** `1` and `true` switch on; `0`, `false` and absence leave off. */
export function readFlag(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  if (text === null || text === "0" || text === "false" || text === "") return false;
  if (text === "1" || text === "true") return true;
  throw badRequest(`Invalid request: \`${name}\` should be equal to one of the allowed values "0, 1".`);
}

export function readWord<W extends string>(query: URLSearchParams, name: string, words: readonly W[]): W | null {
  const text = query.get(name);
  if (text === null || text === "") return null;
  if ((words as readonly string[]).includes(text)) return text as W;
  throw badRequest(`Invalid request: \`${name}\` should be equal to one of the allowed values "${words.join(", ")}".`);
}

/** Comma lists, as in `state=BUILDING,READY`; null where nothing is asked for. */
export function readList(query: URLSearchParams, name: string): string[] | null {
  const text = query.get(name);
  return text ? text.split(",").filter((part) => part !== "") : null;
}
