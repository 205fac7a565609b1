import type { SandboxAnswer } from "../../server/sandbox.ts";
import { type ApiRequest, ok, param } from "../http/api-request.ts";
import { readFlag, readInteger, readWord } from "../http/read-query.ts";
import type { Deployment } from "../records.ts";
import { type BuildEvent, buildIdOf, buildLog } from "./build-log.ts";
import { requireDeployment } from "./find-deployment.ts";
import { followLog } from "./follow-log.ts";

interface EventWish {
  direction: "forward" | "backward";
  limit: number;
  since: number;
  until: number;
  isWanted(event: BuildEvent): boolean;
}

/** A JSON array, or with `follow=1` newline-delimited JSON that stays open until the build is over. */
export function listEvents(request: ApiRequest): SandboxAnswer {
  const { world, query, version } = request;
  const deployment = requireDeployment(request, param(request, 0));
  const wish = readWish(query, deployment);
  const view = version <= 2 ? wrapped : flat;
  if (readFlag(query, "follow") || query.get("format") === "lines") {
    const isFollowed = readFlag(query, "follow");
    const read = (from: number) => choose(wish, deployment, world.clock.now()).slice(from).map(view);
    return followLog(world, deployment, read, isFollowed);
  }
  return ok(choose(wish, deployment, world.clock.now()).map(view));
}

function readWish(query: URLSearchParams, deployment: Deployment): EventWish {
  const limit = readInteger(query, "limit") ?? -1;
  const name = query.get("name");
  const withDelimiter = !query.has("delimiter") || readFlag(query, "delimiter");
  // These logs hold no requests, so a filter by the requests' status leaves nothing.
  const statusCode = query.get("statusCode");
  readFlag(query, "builds");
  return {
    direction: readWord(query, "direction", ["forward", "backward"] as const) ?? "forward",
    limit: limit < 0 ? Number.POSITIVE_INFINITY : limit,
    since: readInteger(query, "since") ?? 0,
    until: readInteger(query, "until") ?? Number.POSITIVE_INFINITY,
    isWanted: ({ type }) =>
      (withDelimiter || type !== "delimiter") && !statusCode && (!name || name === buildIdOf(deployment)),
  };
}

type NumberedEvent = BuildEvent & { deploymentId: string; index: number };

function choose(wish: EventWish, deployment: Deployment, now: number): NumberedEvent[] {
  const events = buildLog(deployment, now)
    .map((event, index) => ({ ...event, index, deploymentId: deployment.id }))
    .filter((event) => event.created >= wish.since && event.created <= wish.until && wish.isWanted(event));
  if (wish.direction === "backward") events.reverse();
  return events.slice(0, wish.limit);
}

const serialOf = ({ created, index }: NumberedEvent) => `${created}${String(index).padStart(6, "0")}`;

/** The third version's items. */
function flat({ index, ...event }: NumberedEvent): object {
  const serial = serialOf({ index, ...event });
  return { ...event, date: event.created, id: serial, serial };
}

/** The older versions' items: the same with most of it under `payload`. */
function wrapped(event: NumberedEvent): object {
  const { type, created, deploymentId, text, info } = event;
  const serial = serialOf(event);
  const payload = { id: serial, deploymentId, date: created, serial, ...(text !== undefined && { text }), info };
  return { type, created, payload };
}
