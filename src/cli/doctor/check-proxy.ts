import type { Region } from "../../kernel/regions.ts";
import type { Config } from "../../start/settings/config.ts";
import { regionSettings } from "../../start/settings/region-settings.ts";
import { clockFinding } from "./check-stores.ts";
import type { Finding } from "./finding.ts";

/** What programs, browsers, identity providers and the systems call. A proxy must pass all of it. */
const passed: [method: string, path: string][] = [
  ["GET", "/healthz"],
  ["POST", "/latest/auth/info"],
  ["GET", "/sign-in"],
  ["GET", "/oauth/callback"],
  ["GET", "/sso/start"],
  ["GET", "/scim/v2/ServiceProviderConfig"],
  ["POST", "/mcp"],
  ["GET", "/.well-known/oauth-protected-resource"],
];

const waitMilliseconds = 5_000;

/** Calls the region by its public address, and sees whether each call reaches Signalbox as it was sent. */
export async function checkProxy(config: Config, region: Region): Promise<Finding[]> {
  const base = config.baseUrls[region];
  const what = `proxy ${region}`;
  const setting = regionSettings.baseUrl(region).name;
  const asked = Date.now();
  const first = await ask(base, "GET", "/healthz");
  if (!first.response) {
    const remedy = `Start the server and its proxy, or correct ${setting}.`;
    return [{ what, ok: false, detail: `${base} does not respond: ${first.why}`, remedy }];
  }
  const blocked: string[] = [];
  for (const [method, path] of passed) {
    const { response } = await ask(base, method, path);
    if (!response?.headers.has("x-request-id")) blocked.push(path);
  }
  const clock = clockFinding(
    `clock ${region} proxy`,
    base,
    Date.parse(first.response.headers.get("date") ?? ""),
    asked,
  );
  // The header counts in whole seconds.
  const clocks = Number.isNaN(Date.parse(first.response.headers.get("date") ?? "")) || clock.ok ? [] : [clock];
  if (blocked.length > 0) {
    const remedy = "Pass every path but /metrics to Signalbox, unchanged and with its headers.";
    return [{ what, ok: false, detail: `${base} does not pass ${blocked.join(", ")}`, remedy }, ...clocks];
  }
  return [...(await checkHeaders(base, what)), ...clocks];
}

async function checkHeaders(base: string, what: string): Promise<Finding[]> {
  const { response } = await ask(base, "POST", "/latest/auth/info", { authorization: "Bearer :no-key" });
  // What is not JSON is not from Signalbox: the finding below says so.
  const problem = (await response?.json().catch(() => null)) as { code?: string } | null;
  if (problem?.code === "credentials_missing") {
    const remedy = "Pass the Authorization header to Signalbox.";
    return [{ what, ok: false, detail: `${base} removes the Authorization header`, remedy }];
  }
  const metrics = await ask(base, "GET", "/metrics");
  if (metrics.response?.ok && metrics.response.headers.has("x-request-id")) {
    const remedy = "Let the proxy refuse /metrics: it is for your own monitoring.";
    return [{ what, ok: false, detail: `${base} passes /metrics to everybody`, remedy }];
  }
  return [{ what, ok: true, detail: `${base} passes what is needed` }];
}

async function ask(
  base: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ response: Response | null; why: string }> {
  try {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      redirect: "manual",
      signal: AbortSignal.timeout(waitMilliseconds),
      ...(method === "POST" ? { body: "{}" } : {}),
    });
    return { response, why: "" };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    return { response: null, why: cause };
  }
}
