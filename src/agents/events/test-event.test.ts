import { expect, test } from "vitest";
import { newAgent, platformEvent, sendEvent } from "../../../test/support/agents.ts";
import { change, startWorld } from "../../../test/support/event-world.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { expectGuarded, expectRefused } from "../../../test/support/team.ts";

describeOnBothStores("a test event", (kind) => {
  test("is signed and kept like any other, starts what the rule says, and says that it is a test", async () => {
    const { team, agent, toolId } = await startWorld(kind);
    const path = `agents/${agent.id}/test_event`;
    const wanted = { type: "deployment.failed", payload: { deployment: { id: "dpl_1" } } };
    const { body } = await change(team, path, wanted);
    expect(body).toMatchObject({ type: "deployment.failed", status: "started", body: { ...wanted, test: true } });
    expect((await change(team, `runs/${body.run_id}/get`)).body).toMatchObject({ tool_id: toolId, params: wanted });
    expect(await team.lastAudit()).toMatchObject({ action: "agent.tested", target: agent.id });
    expect((await change(team, path)).body).toMatchObject({ type: "test", status: "ignored", run_ids: [] });
    await expectRefused(team, path, team.inProject(team.owner), [[{ type: "" }, 422, "validation_failed", "#/type"]]);
    await expectGuarded(team, path, {}, "editor");
  });

  test("what is refused because of its signature is counted for the agent, and nothing of it is kept", async () => {
    const { team, agent } = await startWorld(kind);
    const other = await newAgent(team);
    const refusedOf = async (id: string) => (await change(team, `agents/${id}/webhook`)).body.refused_signatures;
    expect(await refusedOf(agent.id)).toBeNull();
    for (const secret of ["whsec_wrong", other.secret]) {
      expect((await sendEvent(team, { ...agent, secret }, platformEvent("deployment.error"))).status).toBe(401);
    }
    expect(await refusedOf(agent.id)).toEqual({ count: 2, last_at: expect.any(String) });
    expect(await refusedOf(other.id)).toBeNull();
    expect((await change(team, "events/list")).body.results).toEqual([]);
  });
});
