import type { SandboxAnswer } from "../../server/sandbox.ts";
import { type ApiRequest, ok, type Route } from "../http/api-request.ts";
import { readLimit } from "../http/read-query.ts";
import type { Happening } from "../webhooks/happening.ts";
import type { World } from "../world.ts";

/** What happened in the account since the last reset, newest first. */
function listActivity({ world, owner, query }: ApiRequest): SandboxAnswer {
  const types = query.get("types")?.split(",") ?? [];
  const [since, until] = [momentOf(query.get("since")), momentOf(query.get("until"))];
  const shown = world.happenings
    .filter(
      ({ happening: { ownerId, type, at } }) =>
        ownerId === owner.id &&
        (types.length === 0 || types.includes(type)) &&
        (since === null || at > since) &&
        (until === null || at < until),
    )
    .reverse()
    .slice(0, readLimit(query));
  return ok({ events: shown.map(({ id, happening }) => viewEvent(world, id, happening)) });
}

const momentOf = (text: string | null): number | null =>
  text === null || text === "" ? null : /^\d+$/.test(text) ? Number(text) : Date.parse(text);

function viewEvent(world: World, id: string, { type, at, userId, project, deployment }: Happening): object {
  const user = world.users.find(userId);
  const about = deployment?.url ?? project?.name ?? "the account";
  return {
    id,
    type,
    text: `${user?.name ?? "Somebody"}: ${type} of ${about}`,
    entities: [{ type: "author", start: 0, end: (user?.name ?? "Somebody").length }],
    createdAt: at,
    userId,
    principalId: userId,
    user: user && { uid: user.id, username: user.username, email: user.email, avatar: "", slug: user.username },
    principal: user && { type: "user", uid: user.id, username: user.username, email: user.email, avatar: "" },
    viaIds: [],
  };
}

export const activityRoutes: Route[] = [
  {
    method: "GET",
    path: "/events",
    resource: "team",
    action: "list",
    bucket: "other_per_minute",
    handle: listActivity,
  },
];
