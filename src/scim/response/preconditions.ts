import type { ProtocolRequest } from "../../calls/protocol.ts";
import { ScimRefused } from "./scim-error.ts";

type Conditions = Pick<ProtocolRequest, "method" | "ifMatch" | "ifNoneMatch">;

/**
 * Checks `If-Match` and `If-None-Match` (RFC 7644, 3.14; RFC 9110, 13) and throws 412. Returns true if a reader already
 * has this version, for a 304. Compares tags weakly, as the examples of the standard do.
 */
export function checkPreconditions({ method, ifMatch, ifNoneMatch }: Conditions, version: string): boolean {
  if (ifMatch !== undefined && !hasTag(ifMatch, version)) throw stale();
  if (ifNoneMatch === undefined || !hasTag(ifNoneMatch, version)) return false;
  if (method !== "GET") throw stale();
  return true;
}

const stale = (): ScimRefused =>
  new ScimRefused(412, null, "The resource has changed since the version in the request.");

/** A list of tags, or `*` for any. Our tags hold no comma, so splitting is safe. */
function hasTag(header: string, version: string): boolean {
  const strong = version.replace(/^W\//, "");
  return header.split(",").some((each) => {
    const tag = each.trim();
    return tag === "*" || tag === version || tag === strong;
  });
}
