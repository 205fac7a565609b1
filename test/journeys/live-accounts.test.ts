import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answerConsentPage } from "../support/browser/pop-up.ts";
import { createCaller } from "../support/processes/http-caller.ts";
import { firstRunOf, startServer } from "../support/processes/server-process.ts";
import { cleanUpLater } from "../support/stores.ts";
import { startSandbox, startWrapped } from "../support/systems/vault.ts";
import { startVendorHosts } from "../support/systems/vendor-hosts.ts";

/**
 * "The whole run with live settings against stand-ins of the vendors' real host names through a resolver of the test (no
 * live host is ever called), with TLS." The program knows nothing of sandboxes and of private addresses.
 */

const marketoHost = "123-abc-456.mktorest.com";
const otherMarketo = "999-xyz-999.mktorest.com";

/** What each host of a vendor serves, by the vendor's documentation. */
const served: Record<string, RegExp> = {
  "api.vercel.com": /^(GET|POST|PATCH|DELETE) \/v\d+\//,
  "oauth2.googleapis.com": /^POST \/(token|tokeninfo|revoke)$/,
  "analyticsadmin.googleapis.com": /^(GET|POST) \/v1(beta|alpha)\/(account|properties)/,
  "analyticsdata.googleapis.com": /^(GET|POST) \/v1beta\/properties\//,
  [marketoHost]: /^(GET|POST) \/(rest|identity|bulk)\//,
};

async function startLive() {
  const [marketing, deployment, analytics] = [
    await startSandbox("marketing"),
    await startWrapped("deployment", (create) => () => create("https://vercel.com")),
    await startWrapped("analytics", (create) => () => create("https://accounts.google.com")),
  ];
  const behind = Object.fromEntries(
    Object.keys(served).map((host) => {
      const { url } = host === marketoHost ? marketing : host === "api.vercel.com" ? deployment : analytics;
      return [host, url];
    }),
  );
  const vendors = await startVendorHosts(behind, otherMarketo);
  const folder = mkdtempSync(join(tmpdir(), "signalbox-live-"));
  cleanUpLater(async () => rmSync(folder, { recursive: true, force: true }));
  const authority = join(folder, "authority.pem");
  writeFileSync(authority, vendors.authorityPem);
  const { oauth: integration } = deployment.credentials;
  const { oauth: client } = analytics.credentials;
  const home = join(folder, "data");
  const server = await startServer(home, {
    ...vendors.settings,
    NODE_OPTIONS: `--import ${new URL("../support/systems/vendor-network.ts", import.meta.url).href}`,
    NODE_EXTRA_CA_CERTS: authority,
    SIGNALBOX_DEPLOYMENT_CLIENT_ID_US: integration.client_id,
    SIGNALBOX_DEPLOYMENT_CLIENT_SECRET_US: integration.client_secret,
    SIGNALBOX_DEPLOYMENT_INTEGRATION_SLUG_US: integration.slug,
    SIGNALBOX_ANALYTICS_CLIENT_ID_US: client.client_id,
    SIGNALBOX_ANALYTICS_CLIENT_SECRET_US: client.client_secret,
  });
  cleanUpLater(async () => void (await server.kill()));
  const { base_url, project_id, api_key } = firstRunOf(home);
  const caller = createCaller(server.port);
  cleanUpLater(async () => caller.close());
  const call = async (operation: string, body: object) =>
    (await caller.call(operation, body, { authorization: `Bearer ${project_id}:${api_key}` })).body;

  /** A browser in the vendors' network. The registration at the vendor has our redirect address. */
  const browse = (url: URL, init?: RequestInit): Promise<Response> => {
    const pages: Record<string, string> = {
      "https://vercel.com": deployment.url,
      "https://accounts.google.com": analytics.url,
    };
    const page = pages[url.origin];
    if (page === undefined) throw new Error(`The browser is led to ${url.href}.`);
    const query = new URLSearchParams(url.search);
    if (url.origin === "https://vercel.com") query.set("redirect_uri", `${base_url}/oauth/callback`);
    return fetch(`${page}${url.pathname}?${query}`, init);
  };

  async function connectInPopUp(system: "deployment" | "analytics"): Promise<string> {
    const begun = await call("connections/connect", { system, instance: "live" });
    const ours = await fetch(begun.connect_url, { redirect: "manual" });
    const back = await answerConsentPage(system, ours.headers.get("location") ?? "", {}, browse);
    expect(`${back.origin}${back.pathname}`).toBe(`${base_url}/oauth/callback`);
    await fetch(back, { redirect: "manual" });
    const status = await call("connections/status", { connect_id: begun.connect_id });
    expect(status).toMatchObject({ state: "connected" });
    return status.connection_id;
  }

  return { call, connectInPopUp, vendors, server, marketing, deployment, analytics };
}

test("live accounts of all three systems connect, work, get new tokens and are removed at the vendors' own hosts", async () => {
  const { call, connectInPopUp, vendors, server, marketing, deployment, analytics } = await startLive();
  const connect = async (system: string, credentials: object) => {
    const answer = await call("connections/connect", { system, instance: "live", credentials });
    expect(answer).toMatchObject({ connection_id: expect.any(String) });
    return answer.connection_id as string;
  };
  const { client_id, client_secret } = marketing.credentials;
  const ids = {
    deployment: await connectInPopUp("deployment"),
    analytics: await connectInPopUp("analytics"),
    marketing: await connect("marketing", { rest_endpoint: "123-ABC-456", client_id, client_secret }),
    token: await connect("deployment", {
      token: deployment.credentials.token,
      team_id: deployment.credentials.team_id,
    }),
    key: await connect("analytics", { service_account_key: analytics.credentials.service_account }),
  };
  const report = {
    property_id: "1000",
    metrics: ["sessions"],
    dimensions: ["country"],
    date_range: { start_date: "2026-10-01", end_date: "2026-10-07" },
  };
  const ran = new Set<string>();
  const run = async (step: string, connection_id: string, input: object) => {
    const { status, problem, output } = await call(`steps/${step}/run`, { connection_id, input });
    expect([step, status, problem]).toEqual([step, "succeeded", undefined]);
    ran.add(step);
    return output;
  };
  const reads = async (...left: string[]) => {
    const steps: [string, string, object][] = [
      ["list_deployments", ids.deployment, {}],
      ["list_deployments", ids.token, {}],
      ["run_reports", ids.analytics, report],
      ["run_reports", ids.key, report],
      ["marketing_api_call", ids.marketing, { method: "GET", endpoint: "/rest/v1/leads/describe.json" }],
    ];
    for (const [step, id, input] of steps.filter(([, id]) => !left.includes(id))) await run(step, id, input);
  };
  await reads();
  const { deployment_id } = await run("create_deployment", ids.deployment, { project: "web", branch: "main" });
  await run("cancel_deployment", ids.deployment, { deployment_id });
  const cancelled = { method: "GET", path: `/v13/deployments/${deployment_id}` };
  expect(await run("deployment_api_call", ids.token, cancelled)).toMatchObject({ body: { readyState: "CANCELED" } });
  await run("create_key_events", ids.analytics, { property_id: "1000", event_name: "sign_up" });
  const shop = { account_id: "100", display_name: "Live shop", time_zone: "Europe/Paris", currency_code: "EUR" };
  const { property_id } = await run("create_properties", ids.analytics, shop);
  const endpoint = `v1beta/properties/${property_id}`;
  expect(await run("analytics_api_call", ids.key, { method: "GET", endpoint })).toMatchObject({ status: 200 });
  const { results } = await call("steps/list", {});
  expect([...ran].sort()).toEqual(results.map((step: { step_id: string }) => step.step_id).sort());

  // A real instance has no path that the vendor does not publish.
  await marketing.control("limits", { undocumented_paths: false });
  const unpublished = { method: "GET", endpoint: "/rest/v1/activities/emailopened.json" };
  const asked = { connection_id: ids.marketing, input: unpublished };
  expect((await call("steps/marketing_api_call/run", asked)).problem).toMatchObject({
    code: "not_found_there",
    detail: expect.stringContaining("does not publish"),
    remedy: expect.stringContaining("activityTypeIds=10"),
  });

  // Tokens of an hour end at the vendors. A key signs with our own clock, which stands still.
  const tokens = () => vendors.received.filter(({ call }) => /\/token$/.test(call)).length;
  const before = tokens();
  for (const sandbox of [analytics, marketing]) await sandbox.control("clock", { advance_seconds: 3700 });
  await reads(ids.key);
  expect(tokens()).toBe(before + 2);

  // A host with another certificate is not the vendor.
  const impostor = { rest_endpoint: otherMarketo, client_id, client_secret };
  const refused = await call("connections/connect", { system: "marketing", instance: "live", credentials: impostor });
  expect(refused).toMatchObject({
    code: "system_unavailable",
    reason: "unreachable",
    detail: expect.stringContaining("certificate"),
  });

  for (const id of Object.values(ids)) {
    expect(await call(`connections/${id}/remove`, {})).toMatchObject({ removed: true });
  }
  const ended = vendors.received.map(({ host, call }) => `${call.split("/").slice(0, 4).join("/")} at ${host}`);
  expect(ended).toContain("DELETE /v1/integrations/configuration at api.vercel.com");
  expect(ended).toContain("POST /revoke at oauth2.googleapis.com");

  const astray = vendors.received.filter(
    ({ host, named, call, status }) => host !== named || !served[host]?.test(call) || status === 404,
  );
  expect(astray).toEqual([]);
  expect([...new Set(vendors.received.map(({ host }) => host))].sort()).toEqual(Object.keys(served).sort());
  expect(server.printed()).not.toContain("Nobody is to call");
}, 60_000);
