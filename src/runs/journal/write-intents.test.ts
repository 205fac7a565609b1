import { expect, test } from "vitest";
import { type Platform, startPlatform, systemOfStep } from "../../../test/support/platform.ts";
import { aTool, queueTool, runOnce } from "../../../test/support/runs/runs.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";

const writes = [
  {
    step: "create_properties",
    path: "/v1beta/properties",
    input: { account_id: "100", display_name: "Winter sale", time_zone: "Asia/Tokyo", currency_code: "JPY" },
  },
  {
    step: "create_key_events",
    path: "/v1beta/properties/1000/keyEvents",
    input: { property_id: "1000", event_name: "sign_up" },
  },
  {
    step: "marketing_api_call",
    path: "/rest/v1/leads.json",
    input: {
      method: "POST",
      endpoint: "/rest/v1/leads.json",
      body: { action: "createOnly", lookupField: "email", input: [{ email: "both@example.com" }] },
    },
  },
];

/** A run whose request was lost: nothing happened at the system, and the run probes again later. */
async function lost(
  platform: Platform,
  { step, path, input }: { step: string; path: string; input: object },
  drop: "before" | "after" = "before",
  ...more: string[]
): Promise<string> {
  const system = systemOfStep(step);
  await platform.sandboxes[system].control("faults", { match: { method: "POST", path }, drop });
  const toolStep = { name: "make", step, connection_id: platform.connections[system], input };
  const runId = await queueTool(platform, aTool([toolStep]));
  await runOnce(platform, runId, "waiting", "outcome_unknown", ...more);
  return runId;
}

async function lookAgain(platform: Platform, runId: string) {
  platform.app.advance(11);
  return runOnce(platform, runId, "succeeded", "outcome_unknown", "failed");
}

// "A probe may take a record for its own only if nothing else could have made it … otherwise a person is asked."
describeOnBothStores("a write that is found by its name", (kind) => {
  test.each(writes)("is not taken for one's own if another run may have made it: $step", async (write) => {
    const platform = await startPlatform(kind);
    const runId = await lost(platform, write);
    const { body: other } = await platform.run(write.step, write.input);
    expect(other.status).toBe("succeeded");
    const run = await lookAgain(platform, runId);
    expect([run.status, run.problem?.detail]).toEqual(["outcome_unknown", expect.stringContaining("another run")]);

    // A person settles the other run, so it is no longer in doubt.
    await platform.call(`runs/${runId}/resolve`, { outcome: "did_not" });
    const open = await platform.app.store.query("select intent_id from write_intents where settled_at is null", []);
    expect(open).toEqual([]);
  });

  test("is one's own if the other was refused, or asked for another name", async () => {
    const platform = await startPlatform(kind);
    const [write] = writes;
    if (!write) throw new Error("There is none.");
    await platform.sandboxes.analytics.control("faults", {
      match: { method: "POST", path: write.path },
      drop: "after",
    });
    const toolStep = {
      name: "make",
      step: write.step,
      connection_id: platform.connections.analytics,
      input: write.input,
    };
    await platform.run(write.step, { ...write.input, display_name: "Summer sale" });
    const match = { method: "POST", path: write.path };
    const refusal = { status: 403, body: { error: { status: "PERMISSION_DENIED", message: "No." } } };
    await platform.sandboxes.analytics.control("faults", { match, ...refusal });
    expect((await platform.run(write.step, write.input)).body.status).toBe("failed");
    await platform.sandboxes.analytics.control("faults", { match, drop: "after" });
    const runId = await queueTool(platform, aTool([toolStep]));
    const run = await runOnce(platform, runId, "succeeded", "outcome_unknown", "waiting");
    expect([run.status, run.output?.display_name]).toEqual(["succeeded", "Winter sale"]);
  });
});

const apiCall = (endpoint: string, body: object, method = "POST", query: object = {}) => ({
  step: "analytics_api_call",
  input: { method, endpoint, body, query },
});
const property = { parent: "accounts/100", displayName: "Winter sale", timeZone: "Asia/Tokyo", currencyCode: "JPY" };
const syncLeads = (body: object, endpoint = "/rest/v1/leads.json") => ({
  step: "marketing_api_call",
  input: { method: "POST", endpoint, body },
});
const both = { email: "Both@Example.com" };

// "No other open intent for the same name in any run": whatever step or call made it.
describeOnBothStores("a record that is found by its name, and that another run may have made otherwise", (kind) => {
  test.each<[string, string, ...{ step: string; input: object }[]]>([
    ["create_properties", "the call that makes a property", apiCall("v1beta/properties", property)],
    [
      "create_properties",
      "the older version of it",
      apiCall("v1alpha/properties", { ...property, displayName: undefined, display_name: "Winter sale" }),
    ],
    [
      "create_key_events",
      "the call that makes a key event",
      apiCall("v1beta/properties/1000/keyEvents", { eventName: "sign_up", countingMethod: "ONCE_PER_EVENT" }),
    ],
    [
      "create_key_events",
      "the older call for conversion events",
      apiCall("v1beta/properties/1000/conversionEvents", { eventName: "sign_up" }),
    ],
    ["marketing_api_call", "createOrUpdate", syncLeads({ input: [both] })],
    ["marketing_api_call", "createDuplicate", syncLeads({ action: "createDuplicate", input: [both] })],
    [
      "marketing_api_call",
      "another key of the same lead",
      syncLeads({ lookupField: "customerNumber", input: [{ customerNumber: "X-1", ...both }] }),
    ],
  ])("is left to a person: %s, %s", async (step, _, other) => {
    const platform = await startPlatform(kind);
    const write = writes.find((each) => each.step === step);
    if (!write) throw new Error("There is none.");
    const runId = await lost(platform, write);
    const { body } = await platform.run(other.step, other.input as Record<string, unknown>);
    expect(body.status).toBe("succeeded");
    const run = await lookAgain(platform, runId);
    expect([run.status, run.problem?.detail]).toEqual(["outcome_unknown", expect.stringContaining("another run")]);
  });

  test("is left to a person if another run has made the lead by another key", async () => {
    const platform = await startPlatform(kind);
    const [, , write] = writes;
    if (!write) throw new Error("There is none.");
    const numbered = { customerNumber: "X-9" };
    const body = { action: "createOnly", lookupField: "customerNumber", input: [numbered] };
    const runId = await lost(platform, { ...write, input: syncLeads(body).input });
    const other = syncLeads({ input: [{ ...both, ...numbered }] });
    expect((await platform.run(other.step, other.input)).body.status).toBe("succeeded");
    expect((await lookAgain(platform, runId)).status).toBe("outcome_unknown");
  });

  test("is left to a person if another run has given a new property this name", async () => {
    const platform = await startPlatform(kind);
    const [write] = writes;
    if (!write) throw new Error("There is none.");
    const runId = await lost(platform, write);
    const { body: made } = await platform.run(write.step, { ...write.input, display_name: "Summer sale" });
    const endpoint = `v1beta/properties/${made.output.property_id}`;
    const rename = apiCall(endpoint, { displayName: "Winter sale" }, "PATCH", { updateMask: "displayName" });
    expect((await platform.run(rename.step, rename.input)).body.status).toBe("succeeded");
    expect((await lookAgain(platform, runId)).status).toBe("outcome_unknown");
  });

  // "No organization can slow down, stop or see the work of another": who renames a property of its own shares none with this run.
  test("is one's own if another property was given this name", async () => {
    const platform = await startPlatform(kind);
    const [write] = writes;
    if (!write) throw new Error("There is none.");
    const query = { updateMask: "displayName" };
    const rename = apiCall("v1beta/properties/1001", { displayName: "Winter sale" }, "PATCH", query);
    expect((await platform.run(rename.step, rename.input)).body.status).toBe("succeeded");
    const runId = await lost(platform, write, "after", "succeeded");
    expect((await platform.call(`runs/${runId}/get`)).body.output.display_name).toBe("Winter sale");
  });

  test("hundreds of leads of one call are compared, and each is recorded once", async () => {
    const platform = await startPlatform(kind);
    const many = Array.from({ length: 299 }, (_, index) => ({ email: `lead${index}@example.com` }));
    const [, , write] = writes;
    if (!write) throw new Error("There is none.");
    const runId = await lost(platform, write);
    const all = syncLeads({ input: [...many, both, { email: "both@example.com" }].slice(1) });
    expect((await platform.run(all.step, all.input)).body.status).toBe("succeeded");
    expect((await lookAgain(platform, runId)).status).toBe("outcome_unknown");
    const [{ n } = { n: 0 }] = await platform.app.store.query<{ n: number }>(
      "select count(*) as n from write_intents where settled_at is not null",
    );
    expect(Number(n)).toBe(299);
  });
});

// "Nothing of another tenant may leak: not in problem text, output, run record."
describeOnBothStores("two organizations that are connected to the same account of a system", (kind) => {
  test("whose writes of the same name are both lost: a person is asked, and neither run names anything of the other", async () => {
    const platform = await startPlatform(kind);
    const neighbour = await neighbourOf(platform);
    const [write] = writes;
    if (!write) throw new Error("There is none.");
    // Only the second request arrives, so there is one record, and both probes find it.
    const mine = await lost(platform, write, "before");
    const theirs = await lost(neighbour, write, "after");
    for (const [world, runId, other] of [
      [platform, mine, neighbour],
      [neighbour, theirs, platform],
    ] as const) {
      const run = await lookAgain(world, runId);
      expect([run.status, run.output]).toEqual(["outcome_unknown", null]);
      const visible = [
        run,
        (await world.call("runs/list")).body,
        (await world.call("audit/list", { whole_organization: true })).body,
      ];
      const otherRun = runId === mine ? theirs : mine;
      const { organizationId, userId, email } = other.owner;
      for (const name of [otherRun, organizationId, userId, email, other.projectId, other.connections.analytics]) {
        expect(JSON.stringify(visible)).not.toContain(name);
      }
    }
  });

  test("leave no open intent when they end, also if they change a record", async () => {
    const platform = await startPlatform(kind);
    const body = { key: "SEALED", value: "1", type: "encrypted", target: ["preview"] };
    const input = { method: "POST", path: "/v10/projects/web/env", query: { upsert: true }, body };
    const write = { name: "set", step: "deployment_api_call", connection_id: platform.connections.deployment, input };
    expect((await platform.run(write.step, input)).body.status).toBe("succeeded");
    await runOnce(platform, await queueTool(platform, aTool([write])), "succeeded");
    const open = "count(*) filter (where settled_at is null)";
    const intents = await platform.app.store.query(`select ${open} as open from write_intents group by intent_id`, []);
    expect(intents.map(({ open }) => Number(open))).toEqual([0, 0]);
  });

  test("get the same sentence whether the other run is their own or another tenant's, and it tells of no run", async () => {
    const [write] = writes;
    if (!write) throw new Error("There is none.");
    const sentences: string[] = [];
    for (const whose of ["their own", "another tenant's"]) {
      const platform = await startPlatform(kind);
      const other = whose === "their own" ? platform : await neighbourOf(platform);
      const runId = await lost(platform, write);
      expect((await other.call(`steps/${write.step}/run`, stepBody(other, write))).body.status).toBe("succeeded");
      sentences.push((await lookAgain(platform, runId)).problem.detail);
    }
    expect(sentences[1]).toBe(sentences[0]);
    expect(sentences[0]).toContain("another run or another user of the account may have written it.");
  });
});

/** Another organization of the same region, with the same credentials of the same account. */
async function neighbourOf(platform: Platform): Promise<Platform> {
  const owner = await platform.app.person("neighbour@elsewhere.example");
  const projectId = await platform.app.project(owner, "Elsewhere");
  const call: Platform["call"] = (operation, body = {}, headers = {}) =>
    platform.app.call(operation, body, { as: owner, project: projectId, headers });
  const credentials = {
    refresh_token: platform.sandboxes.analytics.credentials.oauth.refresh_tokens.administrator,
  };
  const { body } = await call("connections/connect", { system: "analytics", instance: "sandbox", credentials });
  return {
    ...platform,
    owner,
    projectId,
    call,
    connections: { ...platform.connections, analytics: body.connection_id },
  };
}

const stepBody = ({ connections }: Platform, { step, input }: (typeof writes)[number]) => ({
  connection_id: connections[systemOfStep(step)],
  input,
});
