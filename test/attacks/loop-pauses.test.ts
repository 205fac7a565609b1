import { expect, test, vi } from "vitest";
import { createMailQueue } from "../../src/access/mails/mail-queue.ts";
import { createLog } from "../../src/kernel/log.ts";
import { type LoopPause, watchLoop } from "../../src/kernel/loop-watch.ts";
import { startDue } from "../../src/schedules/start-due.ts";
import { testSeal } from "../support/app.ts";
import { startPlatform } from "../support/platform.ts";
import { aTool, queueTool, runOnce } from "../support/runs/runs.ts";
import { givePassword } from "../support/sign-in/sign-in.ts";
import { cleanUpLater, newStore } from "../support/stores.ts";
import { asRole, startTeam } from "../support/team.ts";
import { startDeliveries } from "../support/webhooks/delivery-world.ts";
import { slowStore, standStill } from "./support/slow-store.ts";

/**
 * "A watchdog logs and counts every pause of the loop above 250 ms with the operation, tenant and step that caused it." Work in the
 * background is named like calls are; `src/http/pause-metric.test.ts` has those.
 */

const log = createLog("silent", { write: () => {} });

async function pauseOf(operation: string, work: () => Promise<unknown>): Promise<LoopPause["work"]> {
  const pauses: LoopPause[] = [];
  // There is one watch in a process: two of them would take each other's marks.
  const watching = watchLoop((pause) => void pauses.push(pause));
  try {
    await work();
    while (!pauses.some((pause) => pause.seconds > 0.5)) await new Promise((resolve) => setImmediate(resolve));
  } finally {
    watching.stop();
  }
  expect(pauses.map((pause) => pause.work.operation)).toContain(operation);
  return pauses.find((pause) => pause.work.operation === operation)?.work ?? {};
}

test("a turn of the loop is a pause from 250 ms on", () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  let clock = 1000;
  const time = vi.spyOn(performance, "now").mockImplementation(() => clock);
  const pauses: LoopPause[] = [];
  const watching = watchLoop((pause) => void pauses.push(pause));
  // The watch itself wants to look every 25 ms; what comes on top of that is the pause.
  for (const milliseconds of [0, 100, 249, 250, 251, 0, 300]) {
    clock += 25 + milliseconds;
    vi.advanceTimersByTime(25);
  }
  watching.stop();
  time.mockRestore();
  vi.useRealTimers();
  expect(pauses.map(({ seconds }) => seconds)).toEqual([0.251, 0.3]);
  expect(watching.worst()?.seconds).toBe(0.3);
});

test("a delivery to a webhook that blocks the event loop is logged with its organization and project", async () => {
  const { store, slowDown } = slowStore(await newStore("sqlite"));
  const { team, announceRun, sendDue } = await startDeliveries("sqlite", { store });
  await announceRun();
  slowDown(/^update deliveries set status/);
  const { organizationId } = team.owner;
  const { projectId } = team;
  expect(await pauseOf("webhook delivery", sendDue)).toEqual({
    operation: "webhook delivery",
    organizationId,
    projectId,
  });
});

test("a mail that blocks the event loop is logged with its kind and its tenant", async () => {
  const team = await startTeam("sqlite");
  const send = async () => standStill(600);
  const queue = createMailQueue({ db: team.store, envelope: testSeal, send, log, now: team.now });
  cleanUpLater(() => queue.stop());
  const invite = { email: "ada@example.com", permissions: asRole("viewer") };
  await team.call("auth/invite/create", invite, team.inProject(team.owner));
  const ofInvite = await pauseOf("mail", queue.sendDue);
  expect(ofInvite).toMatchObject({ operation: "mail", stepId: "invite", projectId: team.projectId });
  await givePassword(team, team.owner);
  await team.call("auth/password/forgot", { email: team.owner.email });
  const ofLink = await pauseOf("mail", queue.sendDue);
  expect(ofLink).toMatchObject({ stepId: "password_reset", organizationId: team.owner.organizationId });
});

test("a schedule that blocks the event loop is logged with its organization and project", async () => {
  const { store, slowDown } = slowStore(await newStore("sqlite"));
  const team = await startTeam("sqlite", { store });
  const options = team.inProject(team.owner);
  const pause = aTool([{ name: "pause", step: "wait", input: { seconds: 1 } }]);
  const { tool_id } = (await team.call("tools/create", pause, options)).body;
  await team.call("schedules/create", { tool_id, cron: "*/10 * * * *" }, options);
  team.advance(700);
  const { compute } = team.context.rooms;
  const parts = { store, region: "us" as const, compute, now: team.now, wake: () => {}, log };
  slowDown(/^update schedules set next_at/);
  expect(await pauseOf("schedule", () => startDue({ ...parts, queueRun: async () => "run_us_1" }))).toEqual({
    operation: "schedule",
    organizationId: team.owner.organizationId,
    projectId: team.projectId,
  });
});

test("a probe for a lost write that blocks the event loop is logged with its tenant, run and step", async () => {
  const { store, slowDown } = slowStore(await newStore("sqlite"));
  const platform = await startPlatform("sqlite", { store });
  const input = { account_id: "100", display_name: "Winter sale", time_zone: "Asia/Tokyo", currency_code: "JPY" };
  const match = { method: "POST", path: "/v1beta/properties" };
  await platform.sandboxes.analytics.control("faults", { match, drop: "after" });
  const connection_id = platform.connections.analytics;
  const runId = await queueTool(platform, aTool([{ name: "make", step: "create_properties", connection_id, input }]));
  slowDown(/from write_intents/);
  expect(await pauseOf("reconcile", () => runOnce(platform, runId, "succeeded"))).toEqual({
    operation: "reconcile",
    organizationId: platform.owner.organizationId,
    projectId: platform.projectId,
    runId,
    stepId: "create_properties",
  });
});
