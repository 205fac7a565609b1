import { expect, test } from "vitest";
import { created, creates, done } from "../../../test/support/runs/agent-turns.ts";
import { startAgentWorld } from "../../../test/support/runs/agent-world.ts";
import { startOpenAiModel } from "../../../test/support/runs/models.ts";
import { runOnce } from "../../../test/support/runs/runs.ts";
import { describeOnBothStores, type StoreKind } from "../../../test/support/stores.ts";
import { answerJson, type Rogue, startRogue } from "../../../test/support/systems/rogue.ts";
import { createRunMemory } from "../queue/run-memory.ts";

const step = "deployment_api_call";
const answerCharacters = 40_000;
/** The cap is reached with the third answer. */
const runMax = 100_000;

// "No caller may take more memory than its cap."
describeOnBothStores("the memory of one run has a cap", (kind) => {
  test("the step after it sends nothing and says what to do; earlier steps stay recorded", async () => {
    const { rogue, get, post } = await startLarge(kind);
    const run = await trigger(rogue, [get("a"), post("b"), get("c"), get("d"), post("e")]);
    expect(run.status).toBe("failed");
    expect(run.problem).toMatchObject({ code: "response_too_large", retry: "after_fix" });
    expect(run.problem.detail).toContain("Nothing was sent for this one");
    expect(run.problem.detail).toContain("foreach");
    expect(run.steps.map(({ status }: { status: string }) => status)).toEqual([
      "succeeded",
      "succeeded",
      "succeeded",
      "failed",
    ]);
    expect(rogue.arrived).toEqual(["GET /v9/a", "POST /v9/b", "GET /v9/c"]);
    expect(run.steps[1].attempts).toHaveLength(1);
  });

  test("a foreach fails at the iteration after it: earlier iterations wrote once each, and are recorded", async () => {
    const { rogue, post } = await startLarge(kind);
    const items = Array.from({ length: 20 }, (_, index) => index);
    const run = await trigger(rogue, [{ ...post("each"), foreach: items }]);
    expect([run.status, run.problem.code]).toEqual(["failed", "response_too_large"]);
    expect(rogue.arrived).toHaveLength(3);
    expect(run.steps[0].attempts).toHaveLength(3);
  });

  test("a run that resumes counts the same as before, and a step that only waits is never refused", async () => {
    const { rogue, get } = await startLarge(kind);
    const rest = { name: "rest", step: "wait", input: { seconds: 60 } };
    const steps = [get("a"), get("b"), get("c"), rest, get("d")];
    const { body: tool } = await rogue.call("tools/create", aTool(steps));
    const { body: begun } = await rogue.call(`tools/${tool.tool_id}/trigger_async`);
    const world = { app: rogue.app, owner: rogue.owner, projectId: rogue.project, call: rogue.call };
    await runOnce(world, begun.run_id, "waiting");
    rogue.app.advance(61);
    const run = await runOnce(world, begun.run_id, "failed");
    expect(run.problem.code).toBe("response_too_large");
    expect(rogue.arrived).toHaveLength(3);
  });

  test("iterations count once: one by one while the foreach runs, then as part of its output", async () => {
    const { rogue, get } = await startLarge(kind);
    const rest = { name: "rest", step: "wait", input: { seconds: 60 } };
    const steps = [{ ...get("each"), foreach: [1, 2] }, rest, get("last")];
    const { body: tool } = await rogue.call("tools/create", aTool(steps));
    const { body: begun } = await rogue.call(`tools/${tool.tool_id}/trigger_async`);
    const world = { app: rogue.app, owner: rogue.owner, projectId: rogue.project, call: rogue.call };
    await runOnce(world, begun.run_id, "waiting");
    rogue.app.advance(61);
    const run = await runOnce(world, begun.run_id, "succeeded");
    expect(run.steps[0].output).toHaveLength(2);
    const { body: again } = await rogue.call(`runs/${begun.run_id}/replay`, { from_step: "last" });
    const replayed = await runOnce(world, again.run_id, "succeeded");
    expect(replayed.steps[0].output).toEqual(run.steps[0].output);
  });
});

describeOnBothStores("the run of an agent", (kind) => {
  test("has the same cap: no call and no turn begins after it", async () => {
    const world = await startAgentWorld(kind, startOpenAiModel, { runMemory: createRunMemory({ runMax: 10 }) });
    world.model.say(creates, done);
    const run = await world.ask(await world.agent(), "Deploy it");
    expect([run.status, run.problem.code]).toEqual(["failed", "response_too_large"]);
    expect(run.steps).toHaveLength(1);
    expect(await created(world)).toBe(0);
  });
});

describeOnBothStores("one template", (kind) => {
  test("produces at most 32 MiB, however often it refers to a value", async () => {
    const { rogue, get } = await startLarge(kind, { characters: 4_000_000 });
    const named = Array.from({ length: 9 }, () => "{{steps.a.output}}");
    const run = await trigger(rogue, [get("a")], { output: named });
    expect([run.status, run.problem.code]).toEqual(["failed", "expression_failed"]);
    expect(run.problem.detail).toContain("more than 32 MiB");
    const inText = await trigger(rogue, [get("a")], { output: named.join(" ") });
    expect(inText.problem.code).toBe("expression_failed");
    const few = await trigger(rogue, [get("a")], { output: named.slice(0, 2) });
    expect(few.output).toHaveLength(2);
  });
});

describeOnBothStores("a caller that waits for a run", (kind) => {
  test("gets outputs up to 16 MiB whole; above that, previews of large outputs and their handles", async () => {
    const { rogue, get } = await startLarge(kind, { characters: 3_000_000 });
    const whole = await trigger(rogue, [get("a")]);
    expect(whole.output.body.text).toHaveLength(3_000_000);
    const steps = ["a", "b", "c", "d", "e", "f"].map(get);
    const headers = { "idempotency-key": "large" };
    const { body: tool } = await rogue.call("tools/create", aTool(steps));
    const wait = () =>
      rogue.app.call(`tools/${tool.tool_id}/trigger`, {}, { as: rogue.owner, project: rogue.project, headers });
    for (const { body: run } of [await wait(), await wait()]) {
      expect(run.status).toBe("succeeded");
      expect(run.output).toBeNull();
      expect(run.steps[5].large_output.handle).toBe("/steps/5/output");
      const { body } = await rogue.call(`runs/${run.run_id}/output`, { handle: "/steps/5/output" });
      expect(body.output.body.text).toHaveLength(3_000_000);
    }
    expect(rogue.arrived).toHaveLength(7);
  });
});

const aTool = (steps: unknown[], more: Record<string, unknown> = {}) => ({
  title: "Large",
  params_schema: { type: "object" },
  steps,
  ...more,
});

async function trigger(rogue: Rogue, steps: unknown[], more: Record<string, unknown> = {}) {
  const made = await rogue.call("tools/create", aTool(steps, more));
  expect(made.status, made.text).toBe(200);
  const { body } = await rogue.call(`tools/${made.body.tool_id}/trigger`);
  return body;
}

/** A system with responses of a chosen size, and steps that read them. */
async function startLarge(kind: StoreKind, { characters = answerCharacters } = {}) {
  const sizes = characters === answerCharacters ? { runMax } : {};
  const rogue = await startRogue(kind, "deployment", { runMemory: createRunMemory(sizes) });
  rogue.says(answerJson(200, { text: "x".repeat(characters) }));
  const asking = (method: string) => (name: string) => ({
    name,
    step,
    connection_id: rogue.connectionId,
    input: { method, path: `/v9/${name}`, ...(method === "POST" ? { body: {} } : {}) },
  });
  return { rogue, get: asking("GET"), post: asking("POST") };
}
