import { expect, test } from "vitest";
import { type Platform, startPlatform } from "../../../test/support/platform.ts";
import { created, creates } from "../../../test/support/runs/agent-turns.ts";
import { startAgentWorld } from "../../../test/support/runs/agent-world.ts";
import { aTool, queueTool, runOnce } from "../../../test/support/runs/runs.ts";
import { cleanUpLater, describeOnBothStores } from "../../../test/support/stores.ts";
import { creating, makesProperty, propertiesMade } from "../../../test/support/systems/lost-property.ts";
import { writeProperty } from "../../../test/support/systems/outside-signalbox.ts";
import { createAgentWorker } from "../../agents/loop/loop.ts";
import { createModels } from "../../agents/models/providers.ts";
import { createLog } from "../../kernel/log.ts";
import type { EnginePorts } from "../outcome/ports.ts";
import { createWorker, type Worker } from "../worker/worker.ts";

const path = "/rest/v1/leads.json";

const stopWorker = ({ app }: Platform): Promise<void> => (app.context.rooms.runs as Worker).stop();

/** The run once the restored store has looked at it. */
async function lookedAt(platform: Platform, { run_id: runId, waiting_for: before }: Seen): Promise<Seen> {
  let seen: Seen | undefined;
  const look = async () => {
    seen = (await platform.call(`runs/${runId}/get`)).body as Seen;
    return !["queued", "running"].includes(seen.status) && seen.waiting_for?.until !== before?.until;
  };
  await expect.poll(look).toBe(true);
  return seen as Seen;
}

interface Seen {
  run_id: string;
  status: string;
  problem?: { detail: string };
  waiting_for?: { until?: string; detail: string };
}

/** What a minute later starts on the store as on a restored one. */
async function startRestored({ app }: Platform, more: Pick<EnginePorts, "agents"> = {}): Promise<Worker> {
  app.advance(60);
  const { steps, compute } = app.context.rooms;
  const ports = { ...steps, compute, leaseSeconds: 30, restoredAt: app.now().toISOString(), ...more };
  const worker = createWorker({ ports, log: createLog("error", process.stderr) });
  cleanUpLater(() => worker.stop());
  await worker.begin();
  return worker;
}

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
    const { connections, sandboxes } = platform;
    const email = sandboxes.marketing.ids.lead_email;
    const change = (firstName: string) => ({
      method: "POST",
      endpoint: path,
      body: { action: "updateOnly", lookupField: "email", input: [{ email, firstName }] },
    });
    await platform.run("marketing_api_call", change(firstName));
    const written = async () => (await sandboxes.marketing.requests(path)).filter(({ method }) => method === "POST");
    const before = (await written()).length;

    await stopWorker(platform);
    const step = { name: "rename", step: "marketing_api_call", connection_id: connections.marketing };
    const runId = await queueTool(platform, aTool([{ ...step, input: change("Ada") }]));
    await startRestored(platform);
    const run = await runOnce(platform, runId, "succeeded", "failed", "waiting", "outcome_unknown");
    expect(run.status).toBe(end);
    if (end === "outcome_unknown") expect(run.problem.detail).toContain("others may have changed it since");
    expect((await written()).length).toBe(before);
  });
});

// "A probe may take a record for its own only if nothing else could have made it; otherwise a person is asked." The intents of
// the runs since the backup are lost, and its own run may have sent it again.
describeOnBothStores("after a restore, a write that was open in the backup", (kind) => {
  test("and would be found by its name waits for a person, who may send it again", async () => {
    const platform = await startPlatform(kind);
    const { sandboxes } = platform;
    await sandboxes.analytics.control("faults", { match: creating, drop: "before" });
    const runId = await queueTool(platform, makesProperty(platform));
    const before = await runOnce(platform, runId, "waiting");
    await stopWorker(platform);
    // Another run since the backup, of which the store knows nothing.
    const body = { parent: "accounts/100", displayName: "Winter sale", timeZone: "Asia/Tokyo", currencyCode: "JPY" };
    await writeProperty(sandboxes.analytics, body);
    const worker = await startRestored(platform);
    expect(await lookedAt(platform, before)).toMatchObject({
      status: "outcome_unknown",
      problem: {
        detail: expect.stringMatching(
          /^POST .* was sent, .* Since then, the store was restored from a backup\. Another run may have written the record/,
        ),
      },
    });
    expect(await propertiesMade(platform)).toEqual({ asked: 2, there: 1 });

    await platform.call(`runs/${runId}/resolve`, { outcome: "retry" });
    worker.wake();
    expect(await runOnce(platform, runId, "succeeded", "outcome_unknown")).toMatchObject({ status: "succeeded" });
    expect(await propertiesMade(platform)).toEqual({ asked: 3, there: 2 });
  });

  // "They always wait for a person, because the model may choose differently this time."
  test("and that an agent's model chose waits for a person", async () => {
    const world = await startAgentWorld(kind);
    await world.sandboxes.deployment.control("faults", {
      match: { method: "POST", path: "/v13/deployments" },
      drop: "before",
    });
    world.model.say(creates);
    const { run_id: runId } = await world.ask(await world.agent({ approval: "never" }), "Deploy");
    const before = await world.once(runId, "waiting");
    await stopWorker(world);
    const models = createModels(world.model.settings, world.app.context.rooms.steps.outbound);
    await startRestored(world, { agents: createAgentWorker(models) });
    expect(await lookedAt(world, before)).toMatchObject({
      status: "outcome_unknown",
      problem: { detail: expect.stringContaining("An agent chose this write") },
    });
    expect(await created(world)).toBe(1);
  });

  // "'Not there' counts only after the longest time that the system may still take."
  test("is believed not to be there only once the system has settled after the restore", async () => {
    const platform = await startPlatform(kind);
    const { deployment } = platform.sandboxes;
    const path = "/v13/deployments";
    await deployment.control("faults", { match: { method: "POST", path }, drop: "before" });
    const connection_id = platform.connections.deployment;
    const step = {
      name: "deploy",
      step: "create_deployment",
      connection_id,
      input: { project: "web", branch: "main" },
    };
    const runId = await queueTool(platform, aTool([step]));
    const before = await runOnce(platform, runId, "waiting");
    await stopWorker(platform);
    await startRestored(platform);
    expect(await lookedAt(platform, before)).toMatchObject({
      waiting_for: { detail: expect.stringContaining("It is not there yet.") },
    });
    const sent = await deployment.requests(path);
    expect(sent.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});

// The same: shortly after a restore, the intents of lost runs are missing.
describeOnBothStores("a write that follows a restore by some minutes", (kind) => {
  test("is found by its name and waits for a person: a run since the backup may have made the record", async () => {
    const platform = await startPlatform(kind);
    const { app, sandboxes } = platform;
    await stopWorker(platform);
    const worker = await startRestored(platform);
    await sandboxes.analytics.control("faults", { match: creating, drop: "before" });
    const runId = await queueTool(platform, makesProperty(platform));
    worker.wake();
    const before = await runOnce(platform, runId, "waiting");
    const body = { parent: "accounts/100", displayName: "Winter sale", timeZone: "Asia/Tokyo", currencyCode: "JPY" };
    await writeProperty(sandboxes.analytics, body);
    app.advance(60);
    worker.wake();
    expect(await lookedAt(platform, before)).toMatchObject({
      status: "outcome_unknown",
      problem: { detail: expect.stringContaining("another run or another user of the account may have written it") },
    });
  });
});

// "If it is, the run continues with it": with what this item has sent, not with what another one has.
describeOnBothStores("after a restore, what a foreach creates", (kind) => {
  const listed = "steps.read.output.deployments";
  test.each([
    ["is found where the list was read before the backup", listed, 1, "succeeded"],
    ["waits for a person where the list is read again", listed, 0, "outcome_unknown"],
    ["waits for a person where the list depends on the time", `$exists($now()) ? ${listed}`, 1, "outcome_unknown"],
  ])("%s", async (_, foreach, kept, end) => {
    const platform = await startPlatform(kind);
    const { app, sandboxes } = platform;
    const connection_id = platform.connections.deployment;
    const runId = await queueTool(
      platform,
      aTool([
        { name: "read", step: "list_deployments", connection_id, input: { limit: 2 } },
        {
          name: "each",
          step: "create_deployment",
          connection_id,
          foreach: `{{${foreach}}}`,
          input: { project: "web", branch: "main", metadata: { copy_of: "{{foreach.item.id}}" } },
        },
      ]),
    );
    await runOnce(platform, runId, "succeeded");
    const sent = async () =>
      (await sandboxes.deployment.requests("/v13/deployments")).filter(({ method }) => method === "POST").length;
    const before = await sent();
    await stopWorker(platform);
    // As the backup has it. By now, the newest two are others.
    await app.store.transaction(async (db) => {
      await db.query("delete from run_steps where run_id = $1 and position >= $2", [runId, kept]);
      const queued = "status = 'queued', run_at = $2, output = null, finished_at = null";
      await db.query(`update runs set ${queued} where id = $1`, [runId, app.now().toISOString()]);
    });
    await startRestored(platform);
    const run = await runOnce(platform, runId, "succeeded", "failed", "waiting", "outcome_unknown");
    expect(run.status).toBe(end);
    if (end === "outcome_unknown") expect(run.problem.detail).toContain("another item may have had this number");
    expect([before, await sent()]).toEqual([2, 2]);
  });
});
