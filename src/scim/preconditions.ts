import type { FaceRequest } from "../calls/face.ts";
import { ScimRefused } from "./refusal.ts";

type Conditions = Pick<FaceRequest, "method" | "ifMatch" | "ifNoneMatch">;

/**
 * RFC 7644, 3.14 with RFC 9110, 13: `If-Match` lets a change happen only to the version that the caller has seen, `If-None-Match`
 * sends nothing to a reader who has it already. Answers whether the latter is so. Tags are compared weakly, as the examples of
 * the standard do.
 */
export function isKnownAlready({ method, ifMatch, ifNoneMatch }: Conditions, version: string): boolean {
  if (ifMatch !== undefined && !names(ifMatch, version)) throw stale();
  if (ifNoneMatch === undefined || !names(ifNoneMatch, version)) return false;
  if (method !== "GET") throw stale();
  return true;
}

const stale = (): ScimRefused =>
  new ScimRefused(412, null, "The resource has changed since the version that the request names.");

/** A list of tags, or `*` for any. Ours hold no comma, so a comma is always between two. */
function names(header: string, version: string): boolean {
  const strong = version.replace(/^W\//, "");
  return header.split(",").some((each) => {
    const tag = each.trim();
    return tag === "*" || tag === version || tag === strong;
  });
}
