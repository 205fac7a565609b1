import { expect, test } from "vitest";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { startTeam } from "../../test/support/team.ts";

const asks = (seconds: number) => ({
  title: "Asks, then rests",
  steps: [
    { name: "ask", step: "approve", input: { message: "Go on?" } },
    { name: "rest", step: "wait", input: { seconds } },
  ],
});

async function startTool(kind: "sqlite" | "postgres") {
  const team = await startTeam(kind);
  const call = (operation: string, body: unknown = {}) => team.call(operation, body, team.inProject(team.owner));
  const { tool_id } = (await call("tools/create", asks(0))).body;
  const keptWith = async (runId: string): Promise<string | null> =>
    (await team.store.query<{ definition: string | null }>("select definition from runs where id = $1", [runId]))[0]
      ?.definition ?? null;
  return { call, tool_id, keptWith };
}

describeOnBothStores("the definition of a run", (kind) => {
  test("is that of its version, stored once, whatever happens to the tool meanwhile", async () => {
    const { call, tool_id, keptWith } = await startTool(kind);
    await call(`tools/${tool_id}/publish`);
    const { run_id } = (await call(`tools/${tool_id}/trigger`, { params: {} })).body;
    expect(await keptWith(run_id)).toBeNull();
    // "A tool edited while running": the run keeps the definition that it began with.
    await call(`tools/${tool_id}/update`, { ...asks(3600), revision: 1 });
    await call(`tools/${tool_id}/publish`);
    await call(`tools/${tool_id}/delete`);
    const { body } = await call(`runs/${run_id}/approve`, { approved: true });
    expect(body.run_id).toBe(run_id);
    await expect.poll(async () => (await call(`runs/${run_id}/get`)).body.status).toBe("succeeded");
    const again = (await call(`runs/${run_id}/replay`)).body.run_id;
    expect(await keptWith(again)).toBeNull();
    await expect.poll(async () => (await call(`runs/${again}/get`)).body.waiting_for?.step).toBe("ask");
  });

  test("is stored with the run if it was never published: the next change replaces the draft", async () => {
    const { call, tool_id, keptWith } = await startTool(kind);
    const { run_id } = (await call(`tools/${tool_id}/trigger`, { params: {} })).body;
    expect(JSON.parse((await keptWith(run_id)) ?? "{}").steps).toHaveLength(2);
    await call(`tools/${tool_id}/publish`);
    const draft = (await call(`tools/${tool_id}/trigger`, { params: {}, version: "draft" })).body.run_id;
    expect(await keptWith(draft)).not.toBeNull();
  });
});
