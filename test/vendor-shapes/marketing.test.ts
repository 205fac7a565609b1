import { expect, test } from "vitest";
import { knownEndpoints } from "../../src/systems/marketing/options/known-endpoints.ts";
import { marketingApiCall } from "../../src/systems/marketing/steps/marketing-api-call.ts";
import { marketing } from "../../src/systems/marketing/system.ts";
import { StepFailed } from "../../src/systems/work.ts";
import { cleanUpLater } from "../support/stores.ts";
import { driveStep, driveWork } from "../support/systems/drive-step.ts";
import { startMarketingSteps } from "../support/systems/marketing-steps.ts";
import { sentThen } from "../support/systems/sent-then.ts";
import { startVault, startWrapped } from "../support/systems/vault.ts";
import { judge, operationOf, type SentRequest, type VendorShapes } from "./judge.ts";
import marketingShapes from "./marketing.shapes.json" with { type: "json" };
import { furtherMembers, furtherOperations, unpublished } from "./marketing-differences.ts";
import { recording } from "./record.ts";

// "Every method, path, query and body that we ever send exists there with these types, or is listed with the source that shows it."

const described: VendorShapes["schemas"] = marketingShapes.schemas;
const shapes: VendorShapes = {
  ...marketingShapes,
  operations: (marketingShapes as VendorShapes).operations.map((each) => {
    const further = furtherOperations[each.call] ?? {};
    return { ...each, ...further, query: { ...each.query, ...further.query } };
  }),
  schemas: Object.fromEntries(
    [...Object.keys(described), ...Object.keys(furtherMembers)].map((name) => [
      name,
      { ...described[name], ...furtherMembers[name] },
    ]),
  ),
};

const call = (method: string, endpoint: string, query_parameters?: object, body?: object) => ({
  method,
  endpoint,
  ...(query_parameters && { query_parameters }),
  ...(body && { body }),
});

test("the vendor's own description knows everything that the steps send to marketing automation", async () => {
  const received: SentRequest[] = [];
  const { at, stop } = await startMarketingSteps((create) => recording(create, received));
  cleanUpLater(stop);
  // The test's own sign-in.
  received.length = 0;
  const since = { sinceDatetime: "2026-10-01T00:00:00Z" };
  const addresses = Array.from({ length: 300 }, (_, index) => `somebody.with.a.long.name.${index}@mail.example.com`);
  const leads = { input: [{ id: 1020 }] };
  const inputs = [
    ...marketingApiCall.examples.map(({ input }) => input as object),
    call("GET", "/rest/v1/leads.json", { filterType: "email", filterValues: addresses, fields: ["email", "company"] }),
    call("POST", "/rest/v1/leads.json", undefined, {
      action: "createOnly",
      lookupField: "email",
      input: [{ email: "new@example.com" }],
    }),
    { ...call("GET", "/rest/v1/activities.json", { ...since, activityTypeIds: [1] }), all_pages: true, max_items: 10 },
    call("GET", "/rest/v1/activities/leadchanges.json", { ...since, fields: "email" }),
    { ...call("GET", "/rest/v1/campaigns.json"), all_pages: true },
    { ...call("GET", "/rest/v1/lists.json", { batchSize: 5 }), all_pages: true },
    call("GET", "/rest/v1/campaigns/3001.json"),
    call("POST", "/rest/v1/campaigns/3001/schedule.json", undefined, { input: { runAt: "2027-01-01T00:00:00Z" } }),
    call("POST", "/rest/v1/lists/1001/leads.json", undefined, leads),
    call("DELETE", "/rest/v1/lists/1001/leads.json", undefined, leads),
    call("GET", "/rest/asset/v1/email/byName.json", { name: "Welcome" }),
    call("GET", "/rest/asset/v1/email/1/content.json"),
    call("POST", "/rest/asset/v1/email/1/approveDraft.json"),
    call("GET", "/rest/v1/stats/usage.json"),
  ];
  // Writes that are only looked for, as after a lost answer.
  const drafted = ["email", "emailTemplate", "form", "landingPage", "landingPageTemplate", "snippet"];
  const lost = [
    ...[...drafted, "program", "smartCampaign", "smartList", "staticList"].map((kind) =>
      call("POST", `/rest/asset/v1/${kind}/1/delete.json`),
    ),
    ...drafted.map((kind) => call("POST", `/rest/asset/v1/${kind}/1/unapprove.json`)),
    call("POST", "/rest/v1/leads/delete.json", undefined, leads),
  ];
  // What the system refuses was sent as well.
  const unlessRefused = (error: unknown) => {
    if (!(error instanceof StepFailed)) throw error;
  };
  for (const input of inputs) await driveStep(marketingApiCall, input, at).catch(unlessRefused);
  const context = { intentId: "int_test", now: new Date(), ...sentThen(), identity: at.identity };
  const works = [
    ...Object.values(marketingApiCall.options ?? {}).map((option) =>
      option.work({ query: "", after: null, input: { endpoint: "/rest/v1/leads.json", method: "GET" } }),
    ),
    ...[...inputs, ...lost].flatMap(
      (input) => marketingApiCall.reconcile?.(marketingApiCall.input.parse(input), context) ?? [],
    ),
    ...(["list", "campaign"] as const).flatMap((kind) => marketing.resolve?.({ kind, id: "1001" }) ?? []),
  ];
  for (const work of works) await driveWork<unknown>(work, marketing, at).catch(unlessRefused);

  const sent = received.map(asMeant);
  expect(sent.flatMap((each) => judge(shapes, each))).toEqual([]);
  expect(operationsOf(sent)).toEqual(
    shapes.operations
      .map(({ call }) => call)
      .filter((each) => !ofSignIn.includes(each))
      .sort(),
  );
});

const operationsOf = (sent: readonly SentRequest[]) =>
  [...new Set(sent.map((each) => operationOf(shapes, each)?.call))].sort();

/** The sign-in sends them. */
const ofSignIn = ["GET /rest/v1/activities/types.json", "POST /identity/oauth/token"];

/**
 * A query that is too long for an address is the form of a POST that says `_method=GET`:
 * https://experienceleague.adobe.com/en/docs/marketo-developer/marketo/rest/rest-api
 */
function asMeant(sent: SentRequest): SentRequest {
  if (sent.query.get("_method") !== "GET") return sent;
  expect(sent.method).toBe("POST");
  const { api, path, body } = sent;
  return { api, method: "GET", path, query: new URLSearchParams(body as Record<string, string>) };
}

test("the vendor's own description knows every endpoint that the API Call step offers, except four", () => {
  const unknown = knownEndpoints.filter(({ method, endpoint }) => {
    const path = (endpoint.split("?")[0] ?? "").replace(/\{\w+\}/g, "1");
    return !operationOf(shapes, { method, path, query: new URLSearchParams() });
  });
  expect(unknown.map(({ method, endpoint }) => `${method} ${endpoint}`)).toEqual(unpublished);
});

test("the vendor's own description knows everything that the sign-in sends", async () => {
  const received: SentRequest[] = [];
  const sandbox = await startWrapped("marketing", (create) => recording(create, received));
  const { connect, vault } = await startVault("sqlite", { marketing: sandbox });
  const { client_id, client_secret, no_permissions } = sandbox.credentials;
  const made = await connect({ system: "marketing", instance: "sandbox", credentials: { client_id, client_secret } });
  await vault.checkAccount(made);
  const mayNothing = { system: "marketing", instance: "sandbox", credentials: no_permissions } as const;
  await expect(connect(mayNothing)).rejects.toThrow("may do nothing");
  expect(received.flatMap((each) => judge(shapes, each))).toEqual([]);
  expect(operationsOf(received)).toEqual([
    "GET /rest/asset/v1/programs.json",
    "GET /rest/v1/activities/types.json",
    "GET /rest/v1/campaigns.json",
    "GET /rest/v1/lists.json",
    "GET /rest/v1/stats/usage.json",
    "POST /identity/oauth/token",
  ]);
});
