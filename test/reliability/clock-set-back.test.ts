import { expect, test } from "vitest";
import { createMailQueue } from "../../src/access/mails/mail-queue.ts";
import { createLog } from "../../src/kernel/log.ts";
import { moveAllBack } from "../../src/start/region/move-times-back.ts";
import { testSeal } from "../support/app.ts";
import { startPlatform } from "../support/platform.ts";
import { createCaller } from "../support/processes/http-caller.ts";
import { firstRunOf, startServer } from "../support/processes/server-process.ts";
import { aTool, queueTool, runOnce, worldOf } from "../support/runs/runs.ts";
import { cleanUpLater, describeOnBothStores, temporaryFolder } from "../support/stores.ts";
import { asRole, startTeam, type Team } from "../support/team.ts";
import { startDeliveries } from "../support/webhooks/delivery-world.ts";

const day = 86_400;
const setClock = new URL("../support/processes/set-clock.ts", import.meta.url).pathname;
/** A step that waits. */
const rest = (seconds: number) => ({ name: "rest", step: "wait", input: { seconds } });
const ahead = 300 * day;

/** What a server does at each start, and when it notices that its clock was set back. */
async function setBack({ store, now, advance }: Pick<Team, "store" | "now" | "advance">): Promise<string[]> {
  advance(-ahead);
  const logged: string[] = [];
  const log = createLog("warn", { write: (line) => void logged.push(JSON.parse(line).msg) });
  await moveAllBack({ store, leaseSeconds: 30, log, now, wake: () => {} });
  return logged;
}

const secondsUntil = (time: string, { now }: Pick<Team, "now">): number => (Date.parse(time) - now().getTime()) / 1000;

// "Work that was queued while the clock was ahead stands still for years after the clock is set back."
describeOnBothStores("after a clock that was 300 days ahead is set back", (kind) => {
  test("a retry goes on, a wait is measured anew, and a longer wait that began before stays", async () => {
    const platform = await startPlatform(kind);
    const { app, connections, sandboxes } = platform;
    const longest = await queueTool(platform, aTool([rest(365 * day)]));
    const long = await runOnce(platform, longest, "waiting");
    app.advance(ahead);
    const match = { method: "GET", path: "/v6/deployments" };
    await sandboxes.deployment.control("faults", { match, times: 3, status: 503, body: {} });
    const list = {
      name: "latest",
      step: "list_deployments",
      connection_id: connections.deployment,
      input: { limit: 1 },
    };
    const retried = await queueTool(platform, aTool([list]));
    await runOnce(platform, retried, "waiting");
    const rests = await queueTool(platform, aTool([rest(60)]));
    await runOnce(platform, rests, "waiting");
    expect(await setBack(app)).toEqual([expect.stringMatching(/^the clock was set back/)]);
    expect((await runOnce(platform, retried, "succeeded")).status).toBe("succeeded");
    const waits = async (id: string) => (await platform.call(`runs/${id}/get`)).body.waiting_for.until;
    await expect.poll(async () => secondsUntil(await waits(rests), app)).toBeLessThanOrEqual(60);
    expect(await waits(longest)).toBe(long.waiting_for.until);
    expect(await setBackAgain(app)).toEqual([]);
    app.advance(61);
    expect((await runOnce(platform, rests, "succeeded")).status).toBe("succeeded");
    expect((await runOnce(platform, longest, "waiting")).waiting_for.until).toBe(long.waiting_for.until);
  });

  test("a run that no worker has begun is due", async () => {
    const team = await startTeam(kind);
    team.advance(ahead);
    const id = await queueTool(worldOf(team), aTool([rest(0)]));
    await setBack(team);
    expect((await runOnce(worldOf(team), id, "succeeded")).status).toBe("succeeded");
  });

  test("a delivery is tried again, and not while it may still be under way", async () => {
    const { team, receiver, announceRun, sendDue, deliveries } = await startDeliveries(kind);
    team.advance(ahead);
    receiver.answerWith(503);
    await announceRun();
    await sendDue();
    receiver.answerWith(204);
    await setBack(team);
    expect([await sendDue(), (await deliveries())[0].status]).toEqual([0, "pending"]);
    team.advance(121);
    expect([await sendDue(), (await deliveries())[0].status]).toEqual([1, "delivered"]);
  });

  test("a mail is sent again", async () => {
    const team = await startTeam(kind);
    const { store, now } = team;
    let isAway = true;
    const log = createLog("error", { write: () => {} });
    const send = async () => {
      if (isAway) throw new Error("away");
    };
    const queue = createMailQueue({ db: store, envelope: testSeal, send, log, now });
    team.advance(ahead);
    const wish = { email: "new@example.com", permissions: asRole("viewer") };
    await team.call("auth/invite/create", wish, team.inProject(team.owner));
    expect(await queue.sendDue()).toBe(0);
    isAway = false;
    await setBack(team);
    team.advance(121);
    expect(await queue.sendDue()).toBe(1);
    await queue.stop();
  });

  test("leases end as soon as if they had just been taken, and a kept response is deleted in time", async () => {
    const team = await startTeam(kind);
    const id = await queueTool(worldOf(team), aTool([rest(0)]));
    const other = await queueTool(worldOf(team), aTool([rest(0)]));
    team.advance(ahead);
    const once = { ...team.inProject(team.owner), headers: { "idempotency-key": "once" } };
    await team.call("auth/keys/create", { label: "once" }, once);
    const until = new Date(team.now().getTime() + 30_000).toISOString();
    await team.store.transaction(async (db) => {
      const dead = [until, id];
      await db.query(
        "update runs set status = 'running', worker = 'dead', fence = 1, lease_until = $1 where id = $2",
        dead,
      );
      await db.query("update run_queue set worker = 'dead', lease_until = $1 where run_id = $2", [until, other]);
      await db.query("update idempotent_answers set lease_until = $1", [until]);
      await db.query("insert into background_leases (name, holder, lease_until) values ('retention', 'dead', $1)", [
        until,
      ]);
    });
    await setBack(team);
    const times = await team.store.query<{ at: string }>(
      `select lease_until as at from runs where lease_until is not null
       union all select lease_until from run_queue where lease_until is not null
       union all select lease_until from idempotent_answers
       union all select created_at from idempotent_answers
       union all select lease_until from background_leases`,
    );
    expect(times).toHaveLength(5);
    for (const { at } of times) expect(secondsUntil(at, team)).toBeLessThanOrEqual(300);
  });
});

test("a server notices by itself that its clock was set back", async () => {
  const home = temporaryFolder();
  const server = await startServer(home, { CLOCK_AHEAD_SECONDS: String(ahead) }, setClock);
  cleanUpLater(() => server.kill());
  const { project_id, api_key } = firstRunOf(home);
  const caller = createCaller(server.port);
  cleanUpLater(async () => caller.close());
  const call = (operation: string, body = {}) =>
    caller.call(operation, body, { authorization: `Bearer ${project_id}:${api_key}` });
  const rests = { title: "Rests", params_schema: { type: "object" }, steps: [rest(60)] };
  const tool = await call("tools/create", rests);
  const { body: started } = await call(`tools/${tool.body.tool_id}/trigger_async`, { params: {} });
  const secondsLeft = async (): Promise<number> => {
    const { body } = await call(`runs/${started.run_id}/get`);
    return (Date.parse(body.waiting_for?.until) - Date.now()) / 1000;
  };
  await expect.poll(secondsLeft, { timeout: 20_000 }).toBeGreaterThan(ahead);
  await server.ask("0");
  await expect.poll(secondsLeft, { timeout: 30_000 }).toBeLessThanOrEqual(60);
});

/** Another start finds nothing to move. */
async function setBackAgain(app: Parameters<typeof setBack>[0]): Promise<string[]> {
  app.advance(ahead);
  return setBack(app);
}
