import type { System } from "../systems/define.ts";
import { readTarget } from "../systems/paths.ts";
import type { Answer, StepRequest } from "../systems/work.ts";
import { SendFailed } from "../transport/outbound.ts";
import { nextTarget } from "../transport/redirect-rules.ts";
import type { Envelope } from "./address-request.ts";

/** Where an answer redirects a request to. */
export interface Redirect {
  /** For the policy and the limits, which read path and query. */
  request: StepRequest;
  /** Path and query as they are sent. */
  target: string;
}

/**
 * Returns SendFailed for a redirect that is not followed: to another host, by another method, one too many, or outside
 * of the system's API.
 */
export function readRedirect(
  sent: { request: StepRequest; envelope: Envelope; hops: number | null },
  { headers }: Answer,
  system: System,
): Redirect | SendFailed {
  const { request, envelope, hops } = sent;
  try {
    const target = nextTarget({ ...envelope, method: request.method }, headers, hops);
    const read = readTarget(target, { leadingSlash: true, prefix: system.pathPrefix, example: "" });
    if (typeof read === "string") {
      return new SendFailed("redirected", "maybe", "The system redirects to a path that is none of its API.");
    }
    return { request: { ...request, path: read.path, query: read.query }, target };
  } catch (error) {
    if (error instanceof SendFailed) return error;
    throw error;
  }
}
