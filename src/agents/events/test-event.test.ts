import { expect, test } from "vitest";
import { newAgent, platformEvent, sendEvent, signed } from "../../../test/support/runs/agents.ts";
import { change, startWorld } from "../../../test/support/runs/event-world.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { expectGuarded, expectRefused } from "../../../test/support/team.ts";
import { createRefusals } from "./refused-events.ts";

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

  // "Events received with their signature result and what they started."
  test("an event says whether it was signed, and what became of its signature", async () => {
    const { team, agent } = await startWorld(kind);
    const off = await newAgent(team, { webhook_signature: "off" });
    const createdAt = team.now().getTime();
    const wrong = { "x-vercel-signature": signed("{}", "another") };
    await sendEvent(team, agent, platformEvent("deployment.error", { createdAt }));
    await sendEvent(team, agent, platformEvent("deployment.error", { createdAt: createdAt - 8 * 86_400_000 }));
    await sendEvent(team, off, { type: "signed" });
    await sendEvent(team, off, { type: "forged" }, wrong);
    await team.app.inject({
      method: "POST",
      url: new URL(off.url).pathname,
      headers: { "content-type": "application/json" },
      payload: "{}",
    });
    const { results } = (await change(team, "events/list")).body;
    const read = results.map(({ signature }: { signature: string }) => signature);
    expect(read).toEqual(["not_signed", "invalid", "valid", "old_timestamp", "valid"]);
  });

  test("the last refusals of an agent are kept with their time and reason, however many there are", async () => {
    const { team, agent } = await startWorld(kind);
    const refusedOf = async () => (await change(team, `agents/${agent.id}/webhook`)).body.refused_events;
    await team.app.inject({
      method: "POST",
      url: new URL(agent.url).pathname,
      headers: { "content-type": "application/json" },
      payload: "{}",
    });
    await sendEvent(team, { ...agent, secret: "whsec_wrong" }, { type: "secret text" });
    const at = expect.any(String);
    expect(await refusedOf()).toEqual([
      { at, reason: "invalid" },
      { at, reason: "not_signed" },
    ]);
    // Another node, to which somebody sends without end.
    const node = createRefusals(team.store, team.now);
    const here = { id: agent.id, organizationId: team.owner.organizationId };
    for (let i = 0; i < 500; i++) node.note(here, "invalid");
    await node.flush();
    const rows = await team.store.query("select * from event_refusals");
    expect([rows.length, (await refusedOf()).length]).toEqual([20, 20]);
    expect(JSON.stringify(rows)).not.toContain("secret text");
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
