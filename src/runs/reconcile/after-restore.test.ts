import { expect, test } from "vitest";
import { startPlatform } from "../../../test/support/platform.ts";
import { aTool, queueTool, runOnce } from "../../../test/support/runs/runs.ts";
import { cleanUpLater, describeOnBothStores } from "../../../test/support/stores.ts";
import { createLog } from "../../kernel/log.ts";
import { createWorker, type Worker } from "../worker/worker.ts";

const path = "/rest/v1/leads.json";

// "Open intents are looked for and otherwise wait for a person."
describeOnBothStores("after a restore, a change of a record", (kind) => {
  test.each([
    [
      "that others have changed again since waits for a person, and does not undo what they did",
      "Bob",
      "outcome_unknown",
    ],
    ["that has the values counts as done", "Ada", "succeeded"],
  ])("%s", async (_, firstName, end) => {
    const platform = await startPlatform(kind);
    const { app, connections, sandboxes } = platform;
    const email = sandboxes.marketing.ids.lead_email;
    const change = (firstName: string) => ({
      method: "POST",
      endpoint: path,
      body: { action: "updateOnly", lookupField: "email", input: [{ email, firstName }] },
    });
    await platform.run("marketing_api_call", change(firstName));
    const written = async () => (await sandboxes.marketing.requests(path)).filter(({ method }) => method === "POST");
    const before = (await written()).length;

    await (app.context.rooms.runs as Worker).stop();
    const step = { name: "rename", step: "marketing_api_call", connection_id: connections.marketing };
    const runId = await queueTool(platform, aTool([{ ...step, input: change("Ada") }]));
    app.advance(60);
    const { steps, compute } = app.context.rooms;
    const ports = { ...steps, compute, leaseSeconds: 30, restoredAt: app.now().toISOString() };
    const worker = createWorker({ ports, log: createLog("error", process.stderr) });
    cleanUpLater(() => worker.stop());
    await worker.begin();
    const run = await runOnce(platform, runId, "succeeded", "failed", "waiting", "outcome_unknown");
    expect(run.status).toBe(end);
    if (end === "outcome_unknown") expect(run.problem.detail).toContain("others may have changed it since");
    expect((await written()).length).toBe(before);
  });
});
