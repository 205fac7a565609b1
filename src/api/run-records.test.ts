import { expect, test } from "vitest";
import { newAgent, newTool, platformEvent, sendEvent } from "../../test/support/agents.ts";
import { runOnce } from "../../test/support/runs.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { startTeam } from "../../test/support/team.ts";

describeOnBothStores("the record of a run", (kind) => {
  test("shows no secret of what it was started with, which its steps see all the same", async () => {
    const team = await startTeam(kind);
    const call = (operation: string, body: unknown = {}) => team.call(operation, body, team.inProject(team.owner));
    const password = "correct horse battery";
    const steps = [{ name: "rest", step: "wait", if: `{{ params.password = "${password}" }}`, input: { seconds: 0 } }];
    const tool_id = await newTool(team, { steps, output: { password: "{{params.password}}", id: "{{params.id}}" } });
    const agent = await newAgent(team, { rules: [{ on: "deployment.failed", tool_id }] });
    const event = platformEvent("deployment.error", { password });
    const { body: told } = await sendEvent(team, agent, event);
    const run = await runOnce(
      { app: team, owner: team.owner, projectId: team.projectId, call },
      told.run_id,
      "succeeded",
    );
    expect(run).toMatchObject({
      params: { id: event.id, password: "[secret]" },
      output: { id: event.id, password: "[secret]" },
      steps: [{ status: "succeeded" }],
    });
    const { body: triggered } = await call(`tools/${tool_id}/trigger`, { params: { password } });
    const { text } = await call(`runs/${triggered.run_id}/get`);
    expect(JSON.stringify(triggered) + text).not.toContain(password);
    const { body: again } = await call(`runs/${triggered.run_id}/replay`);
    const replayed = await runOnce(
      { app: team, owner: team.owner, projectId: team.projectId, call },
      again.run_id,
      "succeeded",
    );
    expect(replayed.steps[0].status).toBe("succeeded");
  });
});
