import { join } from "node:path";
import { expect, test } from "vitest";
import { startOutside } from "../kill-loop/runs/outside.ts";
import { signalbox } from "../support/processes/command.ts";
import { startWithAccount, successOf } from "../support/processes/first-account.ts";
import { modelKey, startOpenAiModel } from "../support/runs/models.ts";
import {
  cleanUpLater,
  describeOnBothStores,
  newPostgresDatabase,
  type StoreKind,
  temporaryFolder,
} from "../support/stores.ts";

/** A store whose backup is taken while a server uses it, and put back: by the commands, on both kinds of stores. */
async function startWorld(kind: StoreKind) {
  const home = temporaryFolder();
  const outside = await startOutside();
  cleanUpLater(() => outside.stop());
  const model = await startOpenAiModel();
  const settings: Record<string, string> = {
    SIGNALBOX_SANDBOXES: outside.address,
    SIGNALBOX_LOG_LEVEL: "warn",
    SIGNALBOX_LEASE_SECONDS: "2",
    SIGNALBOX_OPENAI_BASE_URL: `${model.origin}/v1`,
    SIGNALBOX_OPENAI_API_KEY: modelKey,
    SIGNALBOX_DEFAULT_MODEL: "openai:scripted",
    SIGNALBOX_PRIVATE_HOSTS_MODELS: model.origin,
  };
  if (kind === "postgres") settings.SIGNALBOX_DATABASE_URL_US = await newPostgresDatabase();
  const command = async (...args: string[]) => {
    const { code, stderr, stdout } = await signalbox([...args, "--region", "us", "--home", home, "--json"], settings);
    expect([args[0], code, stderr]).toEqual([
      args[0],
      0,
      expect.stringMatching(/^store: .*\n(The store that was replaced is kept: .*\n)?$/),
    ]);
    return JSON.parse(stdout);
  };
  const backup = join(home, "us.backup");
  return {
    outside,
    model,
    async start() {
      const server = await startWithAccount(home, settings);
      const call = successOf(server);
      const status = (runId: string) =>
        expect.poll(async () => (await call(`runs/${runId}/get`)).status, { timeout: 60_000, interval: 200 });
      return { ...server, call, status };
    },
    takeBackup: () => command("backup", "--to", backup),
    putBack: () => command("restore", "--from", backup),
    /** While a server uses the store. */
    async refusedRestore() {
      const args = ["restore", "--from", backup, "--region", "us", "--home", home];
      return (await signalbox(args, settings)).stderr;
    },
  };
}

const approveFirst = (write: object) => ({
  title: "Asks, then writes",
  params_schema: { type: "object" },
  steps: [
    { name: "ask", step: "approve", input: { message: "May I?" } },
    { name: "write", ...write },
  ],
});

// "A restored store knows that it was restored: open intents are looked for and otherwise wait for a person, and the start says so."
describeOnBothStores("after a restore, a write that was sent since the backup", (kind) => {
  test("is found by its mark, or waits for a person if it has none or an agent chose it; none is sent again", async () => {
    const { outside, model, start, takeBackup, putBack, refusedRestore } = await startWorld(kind);
    const server = await start();
    const { deployment, analytics } = server.connections ?? {};
    const marked = { step: "create_deployment", connection_id: deployment, input: { project: outside.projectId } };
    const input = { account_id: "100", display_name: "Restored", time_zone: "Asia/Tokyo", currency_code: "JPY" };
    const named = { step: "create_properties", connection_id: analytics, input };
    const runs: string[] = [];
    for (const write of [marked, named]) {
      const { tool_id } = await server.call("tools/create", approveFirst(write));
      runs.push((await server.call(`tools/${tool_id}/trigger_async`, { params: {} })).run_id);
    }
    const creates = { calls: [{ name: "create_deployment", input: { project: outside.projectId } }] };
    model.say(creates, { text: "Done." });
    const steps = [{ step: "create_deployment", connection_id: deployment }];
    const wish = { name: "Deploys", instructions: "Deploy it.", approval: "writes", steps };
    const { agent_id } = await server.call("agents/create", wish);
    runs.push((await server.call(`agents/${agent_id}/trigger`, { message: "Deploy." })).run_id);
    for (const runId of runs) await server.status(runId).toBe("waiting");
    const taken = await takeBackup();
    expect(await server.stop()).toBe(0);

    const later = await start();
    model.say({ text: "Done." });
    for (const runId of runs) await later.call(`runs/${runId}/approve`, { approved: true });
    for (const runId of runs) await later.status(runId).toBe("succeeded");
    const sent = async () => [
      await outside.sent("deployment", "POST", "/v13/deployments"),
      await outside.sent("analytics", "POST", "/v1beta/properties"),
    ];
    const before = await sent();
    expect(before[0]).toBe(2);
    expect(await refusedRestore()).toMatch(
      /use(s)? the (region|database).*Stop (it|them) first\. Nothing was changed/s,
    );
    expect(await later.stop()).toBe(0);
    const { verified, ...restored } = await putBack();
    expect(verified).toMatchObject({ audit_chains: 1, rows: taken.rows });
    expect(restored[kind === "sqlite" ? "old_file" : "old_schema"]).toMatch(/before.restore/);

    const again = await start();
    await expect.poll(() => again.printed()).toContain("the store was restored from a backup");
    for (const runId of runs) await again.call(`runs/${runId}/approve`, { approved: true });
    const [byMark = "", byName = "", byAgent = ""] = runs;
    await again.status(byMark).toBe("succeeded");
    await again.status(byName).toBe("outcome_unknown");
    await again.status(byAgent).toBe("outcome_unknown");
    const detailOf = async (runId: string) => (await again.call(`runs/${runId}/get`)).problem.detail;
    expect(await detailOf(byName)).toMatch(/Another run may have written the record with this name/);
    expect(await detailOf(byAgent)).toMatch(/An agent chose this write/);
    expect(await sent()).toEqual(before);
  }, 240_000);
});
