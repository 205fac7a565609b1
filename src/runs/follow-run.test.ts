import { expect, test } from "vitest";
import { startWithTool } from "../../test/support/runs/tools.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";

// "`tools/{id}/trigger`: `params, version?, wait_seconds?` → the run"
describeOnBothStores("a tool that is triggered", (kind) => {
  test("the caller waits along with it if its wait ends in time", async () => {
    const { call } = await startWithTool(kind);
    const steps = [{ name: "moment", step: "wait", input: { seconds: 0.1 } }];
    const { body: tool } = await call("tools/create", { title: "Short", params_schema: { type: "object" }, steps });
    const { body } = await call(`tools/${tool.tool_id}/trigger`, { wait_seconds: 20 });
    expect(body).toMatchObject({ status: "succeeded", steps: [{ name: "moment", status: "succeeded" }] });
  });

  test("the caller gets the waiting run if the wait takes longer, or needs a person", async () => {
    const { call } = await startWithTool(kind);
    const words = [
      { step: "wait", input: { seconds: 3600 } },
      { step: "approve", input: { message: "May I?" } },
    ];
    for (const word of words) {
      const steps = [{ name: "there", ...word }];
      const { body: tool } = await call("tools/create", { title: "Long", params_schema: { type: "object" }, steps });
      const { body } = await call(`tools/${tool.tool_id}/trigger`, { wait_seconds: 60 });
      expect(body).toMatchObject({ status: "waiting", waiting_for: { step: "there" } });
    }
  });
});
