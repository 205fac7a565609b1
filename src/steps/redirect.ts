import type { System } from "../systems/define.ts";
import { readTarget } from "../systems/paths.ts";
import type { Answer, StepRequest } from "../systems/work.ts";
import { SendFailed } from "../transport/outbound.ts";
import { nextTarget } from "../transport/redirects.ts";
import type { Envelope } from "./envelope.ts";

/** Where an answer sends a request on to. */
export interface Onward {
  /** For the policy and the limits, which look at path and query. */
  request: StepRequest;
  /** Path and query as they are sent. */
  target: string;
}

/** SendFailed where it may not go there: to another address, by another method, once too often, or out of the system's API. */
export function onwardFrom(
  sent: { request: StepRequest; envelope: Envelope; hops: number | null },
  { headers }: Answer,
  system: System,
): Onward | SendFailed {
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
