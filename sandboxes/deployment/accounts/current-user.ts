import type { SandboxAnswer } from "../../server/sandbox.ts";
import { type ApiRequest, ok } from "../http/api-request.ts";
import { notAllowed } from "./caller.ts";
import { mayWithScopes } from "./rights.ts";

/** Who the token speaks for. A token that is not the person's full one sees the short form. */
export function readCurrentUser({ world, caller }: ApiRequest): SandboxAnswer {
  const { user, token } = caller;
  if (token.installation && !mayWithScopes(token.installation.scopes, "user", "read")) throw notAllowed();
  const short = {
    id: user.id,
    email: user.email,
    name: user.name,
    username: user.username,
    avatar: null,
    defaultTeamId: user.defaultTeamId,
    version: "northstar",
  };
  if (token.onlyOwnerId !== null) return ok({ user: { ...short, limited: true } });
  return ok({
    user: {
      ...short,
      createdAt: user.createdAt,
      softBlock: null,
      billing: null,
      resourceConfig: { concurrentBuilds: world.limits.concurrent_builds },
      stagingPrefix: `${user.username}-stage`,
      hasTrialAvailable: false,
    },
  });
}
