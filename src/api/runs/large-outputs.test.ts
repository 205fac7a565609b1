import { expect, test } from "vitest";
import { startPlatform } from "../../../test/support/platform.ts";
import { newTool } from "../../../test/support/runs/agents.ts";
import { runOnce } from "../../../test/support/runs/runs.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { startTeam } from "../../../test/support/team.ts";

const large = "é".repeat(200_000);
const bytes = 400_002;

/** A tool that returns its param as its output. */
const handing = {
  steps: [{ name: "small", step: "approve", input: { message: "Go on?" } }],
  output: "{{params.text}}",
};

describeOnBothStores('"Big outputs are kept outside the row, with a preview and a handle"', (kind) => {
  test("the output of a run: its record shows the beginning, and the handle returns the whole", async () => {
    const team = await startTeam(kind);
    const call = (operation: string, body: unknown = {}) => team.call(operation, body, team.inProject(team.owner));
    const tool_id = await newTool(team, handing);
    const { body: begun } = await call(`tools/${tool_id}/trigger_async`, { params: { text: large } });
    const world = { app: team, owner: team.owner, projectId: team.projectId, call };
    await runOnce(world, begun.run_id, "waiting");
    await call(`runs/${begun.run_id}/approve`, { approved: true });
    const run = await runOnce(world, begun.run_id, "succeeded");
    expect(run.output).toBeNull();
    expect(run.large_output).toEqual({ handle: "/output", bytes, preview: `"${"é".repeat(999)}` });
    const { body: whole } = await call(`runs/${begun.run_id}/output`, { handle: "/output" });
    expect(whole.output).toBe(large);
    const { body: small } = await call(`runs/${begun.run_id}/output`, { handle: "/steps/0/output" });
    expect(small.output).toMatchObject({ approved: true });
    const { body: listed } = await call("runs/list");
    expect(JSON.stringify(listed)).not.toContain("éé");
    const [{ longest }] = (await team.store.query("select max(length(output)) as longest from runs")) as [
      { longest: number | null },
    ];
    expect(longest).toBeNull();
  });

  test("a caller who waits for a run gets the whole output, also in a repeat of the call", async () => {
    const team = await startTeam(kind);
    const headers = { ...team.inProject(team.owner), headers: { "idempotency-key": "large" } };
    const steps = [{ name: "rest", step: "wait", input: { seconds: 0 } }];
    const tool_id = await newTool(team, { steps, output: "{{params.text}}" });
    const trigger = () => team.call(`tools/${tool_id}/trigger`, { params: { text: large } }, headers);
    const first = await trigger();
    expect(first.body.output).toBe(large);
    expect((await trigger()).body.output).toBe(large);
  });

  test("a run with very large outputs shows the first ones whole, and of the others the beginnings", async () => {
    const team = await startTeam(kind);
    const call = (operation: string, body: unknown = {}) => team.call(operation, body, team.inProject(team.owner));
    const names = Array.from({ length: 30 }, (_, index) => `step_${index}`);
    const steps = names.map((name) => ({ name, step: "wait", input: { seconds: 0 } }));
    const tool_id = await newTool(team, { steps });
    const { body: run } = await call(`tools/${tool_id}/trigger`);
    // As much as a record may hold, with the attempts of many rounds.
    const output = JSON.stringify("x".repeat(120 * 1024));
    const attempts = JSON.stringify(
      Array.from({ length: 200 }, () => ({ request: { method: "GET", url: "x".repeat(1000) } })),
    );
    await team.store.transaction((db) =>
      db.query("update run_steps set output = $1, output_bytes = $2, attempts = $3 where run_id = $4", [
        output,
        output.length,
        attempts,
        run.run_id,
      ]),
    );
    const { body: shown, text } = await call(`runs/${run.run_id}/get`);
    expect(text.length).toBeLessThan(6 * 1024 * 1024);
    expect(shown.steps).toHaveLength(30);
    expect(shown.steps[0].output).toBe(JSON.parse(output));
    expect(shown.steps[0]).not.toHaveProperty("attempts_omitted");
    expect(shown.steps[29]).toMatchObject({
      output: null,
      attempts: [],
      attempts_omitted: 1,
      large_output: { handle: "/steps/29/output", bytes: output.length, preview: output.slice(0, 1000) },
    });
    const { body: whole } = await call(`runs/${run.run_id}/output`, { handle: "/steps/29/output" });
    expect(whole.output).toBe(JSON.parse(output));
  });

  test("a handle returns only its own output, and none to another project", async () => {
    const team = await startTeam(kind);
    const tool_id = await newTool(team, { steps: [{ name: "rest", step: "wait", input: { seconds: 0 } }] });
    const { body: run } = await team.call(`tools/${tool_id}/trigger`, {}, team.inProject(team.owner));
    for (const handle of ["", "/", "/steps/1/output", "/steps/00/output", "/steps/-1/output", "/params"]) {
      const answer = await team.call(`runs/${run.run_id}/output`, { handle }, team.inProject(team.owner));
      expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([422, "#/handle"]);
    }
    const other = await team.person("other@example.org");
    const project = await team.project(other);
    const elsewhere = await team.call(`runs/${run.run_id}/output`, { handle: "/output" }, { as: other, project });
    expect([elsewhere.status, elsewhere.body.code]).toEqual([404, "run_not_found"]);
  });

  test("the output of a step: stored outside the row, shown by its beginning, and available to later steps", async () => {
    const platform = await startPlatform(kind);
    const { app, call, owner, projectId, connections, sandboxes } = platform;
    const path = "/v9/projects";
    const body = { projects: [{ id: "prj_1", text: "x".repeat(150_000) }] };
    await sandboxes.deployment.control("faults", { match: { method: "GET", path }, times: 2, status: 200, body });
    const ask = { step: "deployment_api_call", connection_id: connections.deployment, input: { method: "GET", path } };
    const definition = {
      title: "Reads much",
      params_schema: { type: "object" },
      steps: [
        { name: "read", ...ask },
        { name: "ask", step: "approve", input: { message: "Is it enough?" } },
        {
          name: "after",
          step: "wait",
          input: { seconds: "{{ $length(steps.read.output.body.projects[0].text) - 150000 }}" },
        },
      ],
      output: { length: "{{ $length(steps.read.output.body.projects[0].text) }}" },
    };
    const { body: tool } = await call("tools/create", definition);
    const { body: begun } = await call(`tools/${tool.tool_id}/trigger_async`, {});
    const world = { app, owner, projectId, call };
    await runOnce(world, begun.run_id, "waiting");
    // The worker that resumes the run after the approval reads the step's output from the store.
    await call(`runs/${begun.run_id}/approve`, { approved: true });
    const run = await runOnce(world, begun.run_id, "succeeded", "failed");
    expect(run).toMatchObject({ status: "succeeded", output: { length: 150_000 } });
    const [read] = run.steps;
    expect([read.output, read.large_output.handle]).toEqual([null, "/steps/0/output"]);
    expect(read.large_output.preview).toHaveLength(1000);
    const { body: whole } = await call(`runs/${begun.run_id}/output`, { handle: read.large_output.handle });
    expect(whole.output.body).toEqual(body);
    // A replay from a later step reuses its output.
    const { body: again } = await call(`runs/${begun.run_id}/replay`, { from_step: "after" });
    await runOnce(world, again.run_id, "waiting");
    await call(`runs/${again.run_id}/approve`, { approved: true });
    const replayed = await runOnce(world, again.run_id, "succeeded", "failed");
    expect(replayed).toMatchObject({ status: "succeeded", output: { length: 150_000 } });
    // A run of one step shows its output twice, under one handle.
    const { body: alone } = await platform.run("deployment_api_call", { method: "GET", path });
    expect(alone.output.body).toEqual(body);
    const { body: seen } = await call(`runs/${alone.run_id}/get`);
    expect([seen.output, seen.steps[0].output]).toEqual([null, null]);
    expect([seen.large_output.handle, seen.steps[0].large_output.handle]).toEqual(["/output", "/output"]);
    const { body: kept } = await call(`runs/${alone.run_id}/output`, { handle: "/output" });
    expect(kept.output.body).toEqual(body);
  });
});
