import { expect, test } from "vitest";
import { fillDirectory, startScim } from "../support/scim/scim.ts";
import { asRole } from "../support/team.ts";
import { longestPause } from "./support/watch-loop.ts";

/**
 * "Nothing that a caller, a tenant or an external system chooses may take more than 50 ms of the event loop." On SQLite, which works on
 * this very thread. Calls that write very much are made and not measured: how long their commit takes while the log is written back is the
 * store's own promise.
 */
// Four times the rule, as everywhere in these tests: what else the machine does must not fail them. Before, it took 400 ms.
const pauseMax = 200;
const writesMuch = new Set(["replaced", "emptied"]);

test("writes to a group of 100,000 members, and bodies that name 79,000 of them, do not block other callers", async () => {
  const team = await startScim("sqlite");
  const ids = await fillDirectory(team, 100_000);
  const { id } = await team.group("Everybody");
  await team.store.transaction((db) =>
    db.query(
      "insert into directory_group_members (group_id, user_id) select $1, user_id from directory_people where user_id <> $2",
      [id, ids[0] ?? ""],
    ),
  );
  // Written beforehand: that takes time as well.
  const list = (from: number) => `[${ids.slice(from, from + 79_000).map((value) => `{"value":"${value}"}`)}]`;
  const patch = (operation: string) => `{"Operations":[${operation}]}`;
  const late = list(21_000);
  const calls: [name: string, method: "PATCH" | "PUT" | "DELETE", body: string | undefined, status: number][] = [
    ["one more", "PATCH", patch(`{"op":"add","path":"members","value":[{"value":"${ids[0]}"}]}`), 204],
    ["one less", "PATCH", patch(`{"op":"remove","path":"members[value eq \\"${ids[0]}\\"]"}`), 204],
    ["looked through", "PATCH", patch('{"op":"remove","path":"members[display eq \\"nobody\\"]"}'), 204],
    ["added, and there already", "PATCH", patch(`{"op":"add","path":"members","value":${late}}`), 204],
    ["replaced", "PUT", `{"displayName":"All","members":${late}}`, 200],
    ["replaced by the same", "PUT", `{"displayName":"All","members":${late}}`, 200],
    ["replaced by the same in a PATCH", "PATCH", patch(`{"op":"replace","path":"members","value":${late}}`), 204],
    ["named twice", "PUT", `{"displayName":"All","members":${late},"displayName":"x"}`, 400],
    ["emptied", "PATCH", patch('{"op":"remove","path":"members"}'), 200],
    ["deleted", "DELETE", undefined, 204],
  ];
  const roles = [{ project_id: team.projectId, permissions: asRole("viewer") }];
  const pauses: [string, number][] = [];
  const wish = { directory_id: team.directoryId, roles };
  expect((await team.call(`directory/groups/${id}/roles`, wish, { as: team.owner })).status).toBe(200);
  for (const [name, method, payload, status] of calls) {
    let answered = 0;
    const pause = await longestPause(async () => {
      const response = await team.app.inject({
        method,
        url: `/scim/v2/Groups/${id}${method === "PUT" ? "?excludedAttributes=members" : ""}`,
        headers: {
          authorization: `Bearer ${team.token}`,
          ...(payload !== undefined && { "content-type": "application/scim+json" }),
        },
        ...(payload !== undefined && { payload }),
      });
      answered = response.statusCode;
    });
    expect([name, answered]).toEqual([name, status]);
    if (!writesMuch.has(name)) pauses.push([name, Math.round(pause)]);
  }
  expect(pauses.filter(([, pause]) => pause > pauseMax)).toEqual([]);
}, 120_000);
