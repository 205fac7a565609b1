import { expect, test } from "vitest";
import { startPlatform } from "../support/platform.ts";
import { aTool, queueTool, runOnce } from "../support/runs/runs.ts";
import { type Loss, lose, nameOf, type OurSystem, systems, writesOf } from "./lose-write.ts";
import type { Ends } from "./write-case.ts";

/*
 * The writes of lost-writes/ once more: the system carries them out and returns an error, or half of its answer comes and
 * the repeat is refused. "What does a repeat of it answer, and what does the caller learn?"
 */

const failed: Record<OurSystem, Loss> = {
  marketing: { status: 500, body: "Internal Server Error" },
  deployment: { status: 500, body: { error: { code: "internal_server_error", message: "Ordered." } } },
  analytics: { status: 500, body: { error: { code: 500, status: "INTERNAL", message: "Ordered." } } },
};
const refused: Record<OurSystem, Loss> = {
  marketing: { body: { success: false, errors: [{ code: "603", message: "Access denied" }] } },
  deployment: { status: 403, body: { error: { code: "forbidden", message: "Ordered." } } },
  analytics: { status: 403, body: { error: { code: 403, status: "PERMISSION_DENIED", message: "Ordered." } } },
};

test.each(systems)(
  "a write to %s that was carried out and returned 500 ends like one whose response was lost",
  async (system) => {
    const platform = await startPlatform("sqlite");
    const seen: [string, readonly unknown[]][] = [];
    const wanted: [string, Ends][] = [];
    for (const write of writesOf(system)) {
      const { match, came } = await lose(platform, write, { ...failed[system], applied: true });
      seen.push([nameOf(match), came]);
      wanted.push([nameOf(match), write.ends]);
    }
    expect(seen).toEqual(wanted);
  },
  240_000,
);

// "The run ends as `failed` only in two cases: … the system has returned 500 to every request, and a probe finds no effect."
test.each<[OurSystem, string, { method: string; path: string }, object]>([
  [
    "deployment",
    "deployment_api_call",
    { method: "DELETE", path: "/v13/deployments/{id}" },
    { method: "DELETE", path: "/v13/deployments/{id}" },
  ],
  [
    "analytics",
    "create_properties",
    { method: "POST", path: "/v1beta/properties" },
    { account_id: "100", display_name: "Winter sale", time_zone: "Asia/Tokyo", currency_code: "JPY" },
  ],
  [
    "marketing",
    "marketing_api_call",
    { method: "POST", path: "/rest/v1/leads.json" },
    {
      method: "POST",
      endpoint: "/rest/v1/leads.json",
      body: { action: "updateOnly", lookupField: "id", input: [{ id: "{id}", firstName: "Nobody" }] },
    },
  ],
])(
  "a write to %s that returns 500 to every request has failed, as %s alone and in a tool",
  async (system, step, where, given) => {
    const platform = await startPlatform("sqlite", { settleSeconds: 0 });
    const sandbox = platform.sandboxes[system];
    const id = sandbox.ids.deployment_id ?? sandbox.ids.lead_id;
    const [match, input] = JSON.parse(JSON.stringify([where, given]).replaceAll("{id}", String(id)));
    await sandbox.control("faults", { match, ...failed[system], times: 1000 });
    const sent = async () =>
      (await sandbox.requests(match.path)).filter(({ method }) => method === match.method).length;

    const { body: alone } = await platform.run(step, input);
    expect([alone.status, alone.problem.code, alone.problem.detail]).toEqual([
      "failed",
      "system_unavailable",
      expect.stringContaining("the write did not happen"),
    ]);
    const sentAlone = await sent();

    const toolStep = { name: "write", step, connection_id: platform.connections[system], input };
    const runId = await queueTool(platform, aTool([toolStep]));
    let run = await runOnce(platform, runId, "waiting", "failed", "outcome_unknown", "succeeded");
    for (let waits = 0; run.status === "waiting" && waits < 20; waits++) {
      platform.app.advance(900);
      run = await runOnce(platform, runId, "waiting", "failed", "outcome_unknown", "succeeded");
    }
    expect([run.status, run.problem.code]).toEqual(["failed", "system_unavailable"]);
    // It was tried again, as long as nothing showed an effect.
    expect(await sent()).toBeGreaterThan(2 * sentAlone);
    const intents = await platform.app.store.query("select 1 as one from write_intents where settled_at is null", []);
    expect(intents).toEqual([]);
  },
  240_000,
);

/** The repeat brings no success: what a look finds then, a person else. */
const endsRefused = ([times, end]: Ends): Ends =>
  end === "repeated" ? [times, "asked"] : end === "gone" ? [times, "found"] : [times, end];

test.each(systems)(
  "a write to %s that was carried out and sent half of its response has not failed because its repeat is refused",
  async (system) => {
    const platform = await startPlatform("sqlite");
    const seen: [string, readonly unknown[]][] = [];
    const wanted: [string, Ends][] = [];
    for (const write of writesOf(system)) {
      const { match, came } = await lose(platform, write, { drop: "after", half: true }, refused[system]);
      seen.push([nameOf(match), came]);
      wanted.push([nameOf(match), endsRefused(write.ends)]);
    }
    expect(seen).toEqual(wanted);
  },
  240_000,
);

test.each(systems)(
  "a write to %s that was cut off before it arrived, and whose repeat is refused, is left open or known not to have happened",
  async (system) => {
    const platform = await startPlatform("sqlite", { settleSeconds: 0 });
    for (const write of writesOf(system)) {
      const { given, match, came } = await lose(platform, write, { drop: "before" }, refused[system]);
      const [times, end] = came;
      // The next ones build on it.
      await platform.run(write.step, given);
      expect([nameOf(match), times]).toEqual([nameOf(match), write.before[0]]);
      expect(["asked", "did not"], nameOf(match)).toContain(end);
    }
  },
  240_000,
);
