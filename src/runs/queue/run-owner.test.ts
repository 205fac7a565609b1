import { expect, test } from "vitest";
import { startPlatform } from "../../../test/support/platform.ts";
import { newAgent, newTool, platformEvent, sendEvent } from "../../../test/support/runs/agents.ts";
import { aTool, queueTool, runOnce, worldOf } from "../../../test/support/runs/runs.ts";
import { describeOnBothStores, newStore, type StoreKind } from "../../../test/support/stores.ts";
import { asRole, startTeam, type Team } from "../../../test/support/team.ts";
import { deactivateUser } from "../../access/deactivation.ts";
import { operatorScope } from "../../access/operator.ts";
import { startDue } from "../../schedules/start-due.ts";
import { makeOrphanedRunsDue } from "./orphaned-runs.ts";
import { queueRun } from "./start-run.ts";

const waitsThenGoesOn = aTool([
  { name: "rest", step: "wait", input: { seconds: 60 } },
  { name: "after", step: "wait", input: { seconds: 0 } },
]);
const asksThenGoesOn = aTool([
  { name: "ask", step: "approve", input: { message: "May I?" } },
  { name: "after", step: "wait", input: { seconds: 0 } },
]);

async function startWithEditor(kind: StoreKind) {
  const team = await startTeam(kind);
  return { team, world: worldOf(team), editor: await team.colleague("editor", "editor") };
}

const goings: [string, string, (team: Team, userId: string) => Promise<unknown>][] = [
  [
    "deactivated",
    "owner_deactivated",
    (team, userId) => deactivateUser(operatorScope(team.store, "us", team.now), userId),
  ],
  [
    "removed from the project",
    "owner_not_allowed",
    (team, userId) => team.call(`auth/users/${userId}/delete`, {}, team.inProject(team.owner)),
  ],
  [
    "made a viewer",
    "owner_not_allowed",
    (team, userId) =>
      team.call(`auth/users/${userId}/update`, { permissions: asRole("viewer") }, team.inProject(team.owner)),
  ],
];

describeOnBothStores("a run whose owner loses access", (kind) => {
  test("all of very many waiting runs become due, and nobody else's", async () => {
    const { team, world, editor } = await startWithEditor(kind);
    const columns =
      "organization_id, project_id, kind, status, params, attempts, output_bytes, warnings, limits, created_at";
    const waiting = await queueTool(world, waitsThenGoesOn, editor);
    await runOnce(world, waiting, "waiting");
    const [other, { owner }] = [1_100, team];
    await team.store.transaction((db) =>
      db.query(
        `insert into runs (id, started_by, ${columns})
         with recursive n(i) as (select 1 union all select i + 1 from n where i < $4)
         select 'run_us_' || i, case when i % 2 = 0 then $2 else $3 end, ${columns} from runs, n where id = $1`,
        [waiting, editor.userId, owner.userId, 2 * other],
      ),
    );
    await deactivateUser(operatorScope(team.store, "us", team.now), editor.userId);
    expect(await makeOrphanedRunsDue(team.store, team.now())).toBe(other + 1);
    const rows = await team.store.query<{ started_by: string; count: number }>(
      "select started_by, count(*) as count from runs where run_at <= $1 group by started_by",
      [team.now().toISOString()],
    );
    expect(rows).toEqual([{ started_by: editor.userId, count: other + 1 }]);
  });

  test.each(goings)("if a person is %s, their runs stop at the next boundary", async (_how, code, go) => {
    const { team, world, editor } = await startWithEditor(kind);
    const waiting = await queueTool(world, waitsThenGoesOn, editor);
    await runOnce(world, waiting, "waiting");
    const asking = await queueTool(world, asksThenGoesOn, editor);
    await runOnce(world, asking, "waiting");
    const queued = await queueTool(world, waitsThenGoesOn, editor);
    const others = await queueTool(world, waitsThenGoesOn);
    expect(await makeOrphanedRunsDue(team.store, team.now())).toBe(0);
    await go(team, editor.userId);
    expect(await runOnce(world, queued, "failed")).toMatchObject({ problem: { code, fault: "policy" }, steps: [] });
    // "At its next boundary": a waiting run is at one, and does not wait to the end, or for an approval that changes
    // nothing.
    expect(await makeOrphanedRunsDue(team.store, team.now())).toBe(2);
    expect(await makeOrphanedRunsDue(team.store, team.now())).toBe(0);
    expect((await runOnce(world, asking, "failed")).problem.code).toBe(code);
    const stopped = await runOnce(world, waiting, "failed");
    expect(stopped).toMatchObject({ problem: { code }, finished_at: expect.any(String) });
    expect(stopped.steps.map((step: { name: string }) => step.name)).toEqual(["rest"]);
    // The clock moves once its wait has begun.
    await runOnce(world, others, "waiting");
    team.advance(61);
    expect((await runOnce(world, others, "succeeded")).problem).toBeUndefined();

    // Another person with the permission can do it instead.
    const { body } = await world.call(`runs/${queued}/replay`);
    expect((await runOnce(world, body.run_id, "waiting")).status).toBe("waiting");
  });

  test("stops between two iterations of a list, which is a boundary, too", async () => {
    const platform = await startPlatform(kind);
    const { deployment } = platform.sandboxes;
    const editor = await platform.app.person("editor@example.com", platform.owner);
    await platform.call("auth/invite/create", { email: editor.email, permissions: asRole("editor") });
    const path = "/v2/user";
    await deployment.control("faults", { match: { method: "GET", path }, delay_ms: 400 });
    const before = (await deployment.requests(path)).length;
    const input = { method: "GET", path };
    const connection_id = platform.connections.deployment;
    const step = { name: "each", step: "deployment_api_call", connection_id, foreach: [1, 2, 3], input };
    const runId = await queueTool(platform, aTool([step]), editor);
    platform.app.context.rooms.runs.wake();
    await expect.poll(async () => (await deployment.requests(path)).length).toBe(before + 1);
    await deactivateUser(operatorScope(platform.app.store, "us", platform.app.now), editor.userId);
    expect((await runOnce(platform, runId, "failed", "succeeded")).problem.code).toBe("owner_deactivated");
    expect(await deployment.requests(path)).toHaveLength(before + 1);
  });

  test("keeps the unknown outcome of a write for a person to settle, and only then fails", async () => {
    const platform = await startPlatform(kind);
    const path = "/v1beta/properties";
    await platform.sandboxes.analytics.control("faults", { match: { method: "POST", path }, drop: "before" });
    const editor = await platform.app.person("editor@example.com", platform.owner);
    await platform.call("auth/invite/create", { email: editor.email, permissions: asRole("editor") });
    const input = { account_id: "100", display_name: "Winter sale", time_zone: "Asia/Tokyo", currency_code: "JPY" };
    const step = { name: "make", step: "create_properties", connection_id: platform.connections.analytics, input };
    const runId = await queueTool(platform, aTool([step]), editor);
    await runOnce(platform, runId, "waiting");
    await deactivateUser(operatorScope(platform.app.store, "us", platform.app.now), editor.userId);
    platform.app.advance(60);
    expect(await runOnce(platform, runId, "outcome_unknown")).toMatchObject({
      problem: { code: "outcome_unknown", detail: expect.stringContaining("deactivated") },
      waiting_for: { kind: "person", step: "make" },
    });
    await platform.call(`runs/${runId}/resolve`, { outcome: "retry" });
    expect((await runOnce(platform, runId, "failed")).problem.code).toBe("owner_deactivated");
  });
});

test("while no run waits, looking for lost owners starts no thread", async () => {
  const store = await newStore("sqlite");
  const refusing = { ...store, querySlow: () => Promise.reject(new Error("A thread was asked.")) };
  expect(await makeOrphanedRunsDue(refusing, new Date())).toBe(0);
});

describeOnBothStores("schedules and agents of a person who lost access", (kind) => {
  test("their schedule starts nothing and says why, until another person takes it over", async () => {
    const { team, world, editor } = await startWithEditor(kind);
    const { body: tool } = await world.call("tools/create", waitsThenGoesOn);
    const wish = { tool_id: tool.tool_id, cron: "*/10 * * * *", misfire: "once" };
    const { body: schedule } = await team.call("schedules/create", wish, team.inProject(editor));
    expect(schedule.run_as).toBe(editor.userId);
    await team.deactivate(editor);
    const { store, now } = team;
    const { compute } = team.context.rooms;
    const startNow = () =>
      startDue({ store, region: "us", compute, now, queueRun, wake: () => {}, log: { warn: () => {} } as never });
    team.advance(601);
    expect(await startNow()).toEqual([]);
    const shown = async () => (await world.call("schedules/list")).body.results[0];
    expect((await shown()).last_problem).toMatchObject({ code: "owner_deactivated" });

    const { body: taken } = await world.call(`schedules/${schedule.schedule_id}/update`, { enabled: true });
    expect(taken).toMatchObject({ run_as: team.owner.userId, created_by: editor.userId, last_problem: null });
    team.advance(601);
    expect(await startNow()).toHaveLength(1);
  });

  test("their agent's events run on their behalf, so they fail and say why", async () => {
    const { team, world, editor } = await startWithEditor(kind);
    const tool_id = await newTool(team);
    const asEditor: Team = { ...team, owner: editor };
    const agent = await newAgent(asEditor, { rules: [{ on: "deployment.failed", tool_id }] });
    const before = await sendEvent(team, agent, platformEvent("deployment.error"));
    expect(await runOnce(world, before.body.run_id, "succeeded")).toMatchObject({ started_by: editor.userId });
    await team.deactivate(editor);
    const after = await sendEvent(team, agent, platformEvent("deployment.error"));
    expect(after.status).toBe(202);
    expect((await runOnce(world, after.body.run_id, "failed")).problem.code).toBe("owner_deactivated");

    // A person who changes it becomes its owner, even if they change nothing else.
    const { body: taken } = await world.call(`agents/${agent.id}/update`);
    expect(taken).toMatchObject({ run_as: team.owner.userId, created_by: editor.userId });
    const later = await sendEvent(team, agent, platformEvent("deployment.error"));
    expect(await runOnce(world, later.body.run_id, "succeeded")).toMatchObject({ started_by: team.owner.userId });
  });
});
