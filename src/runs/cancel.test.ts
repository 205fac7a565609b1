import { expect, test } from "vitest";
import { expectProblem } from "../../test/support/calls/expect-problem.ts";
import { aTool, queueTool, runOnce, worldOf } from "../../test/support/runs/runs.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { startTeam, type Team } from "../../test/support/team.ts";
import { createDeployment } from "../systems/deployment/steps/create-deployment.ts";
import { toolDefinition } from "../tools/definition.ts";
import { createDueQueue } from "./queue/due-queue.ts";
import { beginQueuedRun, leaveRun, releaseExpiredLeases } from "./queue/queue.ts";
import { queueRun } from "./queue/start-run.ts";
import { insertStepRun, newStepRun } from "./single-step/step-run.ts";

/** Claims and begins queued runs, as a worker does. */
const claim = async (team: Team) => {
  const times = { now: team.now().toISOString(), leaseUntil: new Date(team.now().getTime() + 30_000).toISOString() };
  const { runs } = await createDueQueue(team.store, "another").claim(times, 10);
  const claims = runs.map(({ id }) => ({ runId: id, worker: "another", fence: 1 }));
  for (const each of claims) await team.store.transaction((db) => beginQueuedRun(db, each, times.leaseUntil));
  return claims;
};

const asks = aTool([{ name: "ask", step: "approve", input: { message: "May I?" } }]);

describeOnBothStores("a run that is cancelled while a worker holds it", (kind) => {
  // "cancel (stops at the next boundary)": a single step under way has none, and the caller learns that.
  test("a single step under way cannot be cancelled: the caller is refused, and the step continues", async () => {
    const team = await startTeam(kind);
    const world = worldOf(team);
    const run = newStepRun({
      region: "us",
      organizationId: team.owner.organizationId,
      projectId: team.projectId,
      step: createDeployment,
      connectionId: "con_us_any",
      params: {},
      startedBy: team.owner.userId,
      keyId: "",
      now: team.now(),
      leaseSeconds: 60,
    });
    await team.store.transaction((db) => insertStepRun(db, run));
    expectProblem(await world.call(`runs/${run.id}/cancel`), "run_ended");
    expect((await world.call(`runs/${run.id}/get`)).body.status).toBe("running");
  });

  test("ends at its next boundary, even if that is the start of an endless wait", async () => {
    const team = await startTeam(kind);
    const world = worldOf(team);
    const { body: hook } = await world.call("webhooks/create", {
      url: "https://hooks.example.com/signalbox",
      events: ["run.cancelled"],
    });
    const runId = await queueTool(world, asks);
    const [held] = await claim(team);
    if (!held) throw new Error("Nothing was claimed.");
    expect((await world.call(`runs/${runId}/cancel`)).body.status).toBe("running");
    await team.store.transaction((db) =>
      leaveRun(db, held, {
        status: "waiting",
        output: null,
        problem: null,
        waitingFor: { kind: "approval", detail: "May I?", step: "ask" },
        runAt: null,
        finishedAt: null,
      }),
    );
    await runOnce(world, runId, "cancelled");

    // A waiting run stops at once. Each end is announced once.
    const waits = await queueTool(world, asks);
    await runOnce(world, waits, "waiting");
    expect((await world.call(`runs/${waits}/cancel`)).body.status).toBe("cancelled");
    const { body } = await world.call(`webhooks/${hook.webhook_id}/deliveries`);
    expect(body.results.map((each: { body: { data: { run_id: string; status: string } } }) => each.body.data)).toEqual(
      [waits, runId].map((run_id) => expect.objectContaining({ run_id, status: "cancelled" })),
    );
  });

  test("cancels the tool that an agent waits for, whenever that is", async () => {
    const team = await startTeam(kind);
    const world = worldOf(team);
    const { body: agent } = await world.call("agents/create", { name: "Asks" });
    const start = { region: "us" as const, organizationId: team.owner.organizationId, projectId: team.projectId };
    const by = { startedBy: team.owner.userId, keyId: null, now: team.now() };
    const plan = {
      agentId: agent.agent_id,
      name: "Asks",
      instructions: "",
      model: null,
      approval: "never" as const,
      abilities: [{ kind: "tool", name: "ask", tool: { id: "tol_us_1", version: null, definition: asks } }],
      conversationId: "cnv_us_1",
      history: [],
      turnsMax: 5,
      tokensMax: 1_000_000,
      minutesMax: 60,
    };
    const parent = await team.store.transaction((db) =>
      queueRun(db, {
        ...start,
        ...by,
        work: { kind: "agent", id: plan.agentId, conversationId: plan.conversationId, plan },
        params: { message: "Ask" },
        source: { kind: "call" },
      }),
    );
    const child = await team.store.transaction((db) =>
      queueRun(db, {
        ...start,
        ...by,
        work: { kind: "tool", id: null, version: null, definition: toolDefinition.parse(asks) },
        params: {},
        source: { kind: "agent", id: parent },
      }),
    );
    expect((await claim(team)).map(({ runId }) => runId)).toContain(parent);
    // The journal of such a run when it checks again whether the tool has ended.
    await team.store.transaction(async (db) => {
      const columns =
        "run_id, position, turn, name, step_id, status, input, output, output_bytes, warnings, attempts, written, tries, started_at, finished_at";
      const at = team.now().toISOString();
      const turn = JSON.stringify({
        text: "",
        tool_calls: [{ id: "1", name: "ask", input: {} }],
        finish_reason: "tool-calls",
        usage: { input_tokens: 1, output_tokens: 1 },
      });
      await db.query(
        `insert into run_steps (${columns}) values ($1, 0, -1, 'turn_1', 'model', 'succeeded', null, $2, 10, '[]', '[]', '[]', 0, $3, $3)`,
        [parent, turn, at],
      );
      const output = JSON.stringify({ run_id: child, status: "queued", output: null });
      await db.query(
        `insert into run_steps (${columns}) values ($1, 2, -1, 'turn_1_call_1', 'tool', 'waiting', '{}', $2, 10, '[]', '[]', '[]', 0, $3, null)`,
        [parent, output, at],
      );
    });
    expect((await world.call(`runs/${parent}/cancel`)).body.status).toBe("running");
    team.advance(60);
    await team.store.transaction((db) => releaseExpiredLeases(db, team.now().toISOString()));
    await runOnce(world, parent, "cancelled");
    await runOnce(world, child, "cancelled");
  });
});
