import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { steadyTime } from "../../src/kernel/elapsed-time.ts";
import { deleteExpired } from "../../src/start/region/delete-expired.ts";
import { insertOldDelivery, insertOldRun, newWebhook, prunerOf, setPolicy } from "../support/databases/old-records.ts";
import { commandLine } from "../support/processes/command-line.ts";
import { createCaller } from "../support/processes/http-caller.ts";
import { firstRunOf, startServer } from "../support/processes/server-process.ts";
import { cleanUpLater, describeOnBothStores, temporaryFolder } from "../support/stores.ts";
import { startTeam } from "../support/team.ts";

const day = 86_400;
const setClock = new URL("../support/processes/set-clock.ts", import.meta.url).pathname;

// "Deleting must not trust a clock that has just jumped."
describeOnBothStores("a clock that jumps 400 days ahead", (kind) => {
  test("makes no record expire, and no Idempotency-Key: nothing is done twice", async () => {
    const team = await startTeam(kind, { expiryTime: steadyTime });
    const once = { ...team.inProject(team.owner), headers: { "idempotency-key": "once" } };
    const first = await team.call("auth/keys/create", { label: "once" }, once);
    expect(first.status).toBe(200);
    const policy = { days: 30, export: false };
    await setPolicy(team, { runs: policy, events: policy, deliveries: policy });
    await insertOldRun(team, { endedDaysAgo: 1 });
    await insertOldDelivery(team, await newWebhook(team), 1);
    const tables = ["runs", "deliveries", "audit_log", "idempotent_answers"];
    const kept = async () =>
      Promise.all(tables.map((table) => team.store.query(`select * from ${table} order by 1, 2`)));
    const before = await kept();
    team.advance(400 * day);
    const pruner = prunerOf(team);
    await pruner.pass();
    await deleteExpired(team.store, team.context.expiryNow());
    expect(await kept()).toEqual(before);
    const again = await team.call("auth/keys/create", { label: "once" }, once);
    expect(again.text).toBe(first.text);
    expect(pruner.logged).toEqual([]);
  });
});

test("a server notices the jump, says so, and follows the clock again once a person has confirmed it", async () => {
  const home = temporaryFolder();
  const server = await startServer(home, {}, setClock);
  cleanUpLater(() => server.kill());
  const { project_id, api_key } = firstRunOf(home);
  const caller = createCaller(server.port);
  cleanUpLater(async () => caller.close());
  const create = (label: string) =>
    caller.call(
      "auth/keys/create",
      { label },
      { authorization: `Bearer ${project_id}:${api_key}`, "idempotency-key": label },
    );
  const first = await create("once");
  expect(first.status).toBe(200);
  await server.ask(String(400 * day));
  expect((await create("once")).text).toBe(first.text);
  // The next start finds what this one has not recorded.
  await server.stop();
  const file = new DatabaseSync(join(home, "us.sqlite"));
  file.exec("update clock_seen set seen_at = '2025-01-01T00:00:00.000Z'");
  file.close();
  const doctor = async () => JSON.parse((await commandLine(["doctor", "--home", home, "--json"])).stdout).results;
  const jump = { check: "clock us", ok: false, detail: expect.stringMatching(/^the clock has jumped \d+ days ahead/) };
  expect(await doctor()).toContainEqual(expect.objectContaining(jump));
  const { code, stdout } = await commandLine(["confirm-clock", "--home", home, "--json"]);
  expect([code, JSON.parse(stdout).results]).toMatchObject([0, [{ region: "us" }]]);
  expect(await doctor()).not.toContainEqual(expect.objectContaining(jump));
});
