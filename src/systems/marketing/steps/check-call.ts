import { Buffer } from "node:buffer";
import type { QueryValue } from "../../work.ts";
import type { MarketingCall } from "../protocol/build-request.ts";
import { isRecord } from "../protocol/endpoints.ts";

export interface Refusal {
  path: string[];
  message: string;
}

const rowsMax = 300;
const triggerMax = 100;
const bodyBytesMax = 1_048_576;

/** Finds what the system would refuse or only half do: batches, sizes, unexpected bodies. */
export function checkCall(call: MarketingCall): Refusal[] {
  return [...checkBody(call), ...checkBatch(call), ...checkLists(call)];
}

function checkBody({ method, body }: MarketingCall): Refusal[] {
  if (body === undefined) return [];
  if (method === "GET") return [refuse(["body"], "A GET has no body: put its parameters into `query_parameters`.")];
  if ("_method" in body) return [refuse(["body", "_method"], "Leave `_method` out, and write the method itself.")];
  if (Buffer.byteLength(JSON.stringify(body)) <= bodyBytesMax) return [];
  return [refuse(["body"], "The system takes 1 MB at a time: send fewer rows.")];
}

function checkBatch({ target, body }: MarketingCall): Refusal[] {
  const input = body?.input;
  if (/\/campaigns\/[^/]+\/trigger\.json$/.test(target.path) && isRecord(input)) {
    return [
      ...tooMany(["body", "input", "leads"], input.leads, triggerMax, "leads"),
      ...tooMany(["body", "input", "tokens"], input.tokens, triggerMax, "tokens"),
    ];
  }
  return tooMany(["body", "input"], input, rowsMax, "rows");
}

const listsMax: readonly [RegExp, name: string, max: number][] = [
  [/^\/rest\/v1\/leads\.json$/, "filterValues", rowsMax],
  [/^\/rest\/v1\/lists?\/[^/]+\/leads(\/ismember)?\.json$/, "id", rowsMax],
  [/^\/rest\/v1\/activities/, "activityTypeIds", 10],
  [/^\/rest\/v1\/activities/, "leadIds", 30],
];

function checkLists({ target }: MarketingCall): Refusal[] {
  return listsMax.flatMap(([shape, name, max]) => {
    const value = target.query[name];
    if (value === undefined || !shape.test(target.path)) return [];
    return tooMany(["query_parameters", name], valuesOf(value), max, "values");
  });
}

const valuesOf = (value: QueryValue): string[] => [value].flat().join(",").split(",");

function tooMany(path: string[], value: unknown, max: number, what: string): Refusal[] {
  if (!Array.isArray(value) || value.length <= max) return [];
  return [refuse(path, `At most ${max} ${what} go into one call, and these are ${value.length}: split them.`)];
}

const refuse = (path: string[], message: string): Refusal => ({ path, message });
