import { expect, test } from "vitest";
import { type Platform, startPlatform, systemOfStep } from "../../../test/support/platform.ts";
import { aTool, queueTool, runOnce } from "../../../test/support/runs/runs.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { writeKeyEvent, writeLeads } from "../../../test/support/systems/outside-signalbox.ts";
import { sentAgainWarning } from "./read-repeat.ts";

const email = "once@example.com";
const lead = { action: "createOnly", lookupField: "email", input: [{ email, firstName: "Ada" }] };
const leads = { method: "POST", path: "/rest/v1/leads.json" };
const makesLead = { step: "marketing_api_call", input: { method: "POST", endpoint: leads.path, body: lead } };
const keyEvents = { method: "POST", path: "/v1beta/properties/1000/keyEvents" };
const makesKeyEvent = { step: "create_key_events", input: { property_id: "1000", event_name: "sign_up" } };
const keyEvent = { eventName: "sign_up", countingMethod: "ONCE_PER_EVENT" };

interface Asked {
  step: string;
  input: Record<string, unknown>;
}

/** A run of a tool whose write is cut off, not found for as long as the system may take, and about to be sent again. */
async function untilSentAgain(platform: Platform, { step, input }: Asked, match: object): Promise<string> {
  const system = systemOfStep(step);
  await platform.sandboxes[system].control("faults", { match, drop: "before" });
  const made = { name: "make", step, connection_id: platform.connections[system], input };
  const runId = await queueTool(platform, aTool([made]));
  await runOnce(platform, runId, "waiting");
  platform.app.advance(11);
  await runOnce(platform, runId, "waiting");
  await expect
    .poll(async () => (await platform.call(`runs/${runId}/get`)).body.waiting_for?.detail)
    .toMatch(/the write did not happen/);
  return runId;
}

async function sendAgain(platform: Platform, runId: string) {
  platform.app.advance(11);
  return runOnce(platform, runId, "succeeded", "failed", "outcome_unknown");
}

const sentTo = async (platform: Platform, { step }: Asked, { path }: typeof leads) =>
  (await platform.sandboxes[systemOfStep(step)].requests(path)).filter(({ method }) => method === "POST").length;

// "'Skipped, 1005' becomes the step's success without an id, or the run fails though the lead was made. The re-sent call's answer is
// read as what it is: look the lead up, give its id, say that a first answer was lost."
describeOnBothStores("a write that is sent again, after the system had carried out the first request late", (kind) => {
  test("is the first one's success: a lead that a repeat skips with 1005, with its id", async () => {
    const platform = await startPlatform(kind);
    const runId = await untilSentAgain(platform, makesLead, leads);
    await writeLeads(platform.sandboxes.marketing, lead);
    const run = await sendAgain(platform, runId);
    expect(run).toMatchObject({
      status: "succeeded",
      output: { body: { result: [{ id: expect.any(Number), status: "created" }] } },
    });
    expect(run.steps[0].warnings).toEqual([expect.stringContaining("The response was lost")]);
    expect(await sentTo(platform, makesLead, leads)).toBe(3);
  });

  test("is the first one's success: a key event that a repeat refuses", async () => {
    const platform = await startPlatform(kind);
    const runId = await untilSentAgain(platform, makesKeyEvent, keyEvents);
    await writeKeyEvent(platform.sandboxes.analytics, "1000", keyEvent);
    const run = await sendAgain(platform, runId);
    expect(run).toMatchObject({ status: "succeeded", output: { key_event_id: expect.any(String) } });
    expect(run.steps[0].warnings).toEqual([expect.stringContaining("The response was lost")]);
  });

  test("asks a person if the record may be another one's", async () => {
    const platform = await startPlatform(kind);
    const runId = await untilSentAgain(platform, makesLead, leads);
    await writeLeads(platform.sandboxes.marketing, { ...lead, input: [{ email, firstName: "Somebody" }] });
    const run = await sendAgain(platform, runId);
    expect([run.status, run.output]).toEqual(["outcome_unknown", null]);
    expect(run.problem.detail).toMatch(
      /first response was lost, and the repeat was refused.* A person must decide\.$/s,
    );
    expect(await sentTo(platform, makesLead, leads)).toBe(3);
  });

  test("of a single step, which a person sent again, is the first one's success", async () => {
    const platform = await startPlatform(kind);
    await platform.sandboxes.marketing.control("faults", { match: leads, drop: "before" });
    const { body } = await platform.run(makesLead.step, makesLead.input, { wait_seconds: 0 });
    expect(body.status).toBe("outcome_unknown");
    await writeLeads(platform.sandboxes.marketing, lead);
    await platform.call(`runs/${body.run_id}/resolve`, { outcome: "retry" });
    const { body: run } = await platform.call(`runs/${body.run_id}/get`);
    expect(run).toMatchObject({
      status: "succeeded",
      output: { body: { result: [{ id: expect.any(Number), status: "created" }] } },
      warnings: [expect.stringContaining("The response was lost")],
    });
  });
});

describeOnBothStores("a write that is sent again", (kind) => {
  test("says so if it is carried out, and a refusal that the first request did not cause stays one", async () => {
    const platform = await startPlatform(kind);
    const made = await sendAgain(platform, await untilSentAgain(platform, makesLead, leads));
    expect([made.status, made.steps[0].warnings]).toEqual(["succeeded", [sentAgainWarning]]);

    const runId = await untilSentAgain(platform, makesKeyEvent, keyEvents);
    const counted = { ...keyEvent, countingMethod: "ONCE_PER_SESSION" };
    await writeKeyEvent(platform.sandboxes.analytics, "1000", counted);
    const refused = await sendAgain(platform, runId);
    expect([refused.status, refused.problem.code]).toEqual(["failed", "conflict_there"]);
    expect(refused.steps[0].warnings).toEqual([sentAgainWarning]);
  });
});
