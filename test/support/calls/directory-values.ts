import type { Operation } from "../../../src/calls/define-operation.ts";
import { permissions } from "../app.ts";
import type { Team } from "../team.ts";

/** Values for calls about a directory: one with a spare token and a group, created when the first value is needed. */
export function directoryMakers(team: Team, operation: Operation): Record<string, () => unknown> {
  if (operation.area !== "directory") return {};
  let made: ReturnType<typeof makeDirectory> | undefined;
  const directory = () => {
    made ??= makeDirectory(team);
    return made;
  };
  return {
    directory_id: async () => (await directory()).directory_id,
    token_id: async () => (await directory()).token_id,
    group_id: async () => (await directory()).group_id,
    roles: () => [{ project_id: team.projectId, permissions: permissions("role:viewer") }],
  };
}

async function makeDirectory(team: Team): Promise<{ directory_id: string; token_id: string; group_id: string }> {
  const { body } = await team.call("directory/create", {}, { as: team.owner });
  const group = await team.app.inject({
    method: "POST",
    url: "/scim/v2/Groups",
    headers: { authorization: `Bearer ${body.scim_token}`, "content-type": "application/scim+json" },
    payload: JSON.stringify({ displayName: "A group" }),
  });
  return { directory_id: body.directory_id, token_id: body.token_id, group_id: group.json().id };
}
