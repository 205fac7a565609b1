import { createLog } from "../../../src/kernel/log.ts";
import { startOwnSandboxes } from "../../../src/start/sandboxes/start-sandboxes.ts";
import { freePorts } from "../../support/processes/free-ports.ts";

export type RecordKind = "deployment" | "lead" | "property";

/** Something that a run has made at a system. */
export interface MadeRecord {
  kind: RecordKind;
  id: string;
  mark: string;
}

/** The three sandboxes in a process that nobody kills: what they keep is what has really happened. */
export interface Outside {
  /** The first one's address, as SIGNALBOX_SANDBOXES takes it. */
  address: string;
  projectId: string;
  /** Tells the deployment sandbox's control API to do something. Returns its response. */
  control(action: string, body: object): Promise<Record<string, unknown>>;
  /** How often it was asked for this path. */
  asked(path: string): Promise<number>;
  /** How often one of them was sent such a request. */
  sent(system: "marketing" | "deployment" | "analytics", method: string, path: string): Promise<number>;
  /** Asks a system directly, as one of its users; the answer's body. */
  // biome-ignore lint/suspicious/noExplicitAny: callers read whatever members they expect.
  ask(system: "marketing" | "deployment" | "analytics", method: string, path: string, body?: object): Promise<any>;
  /** Every record that carries one of the marks, as the systems themselves tell. */
  made(marks: readonly { makes: RecordKind; mark: string }[]): Promise<MadeRecord[]>;
  stop(): Promise<void>;
}

export async function startOutside(): Promise<Outside> {
  const port = await freePorts(3);
  const sandboxes = await startOwnSandboxes(port, createLog("error", process.stderr));
  const { deployment } = sandboxes.urls;
  const facts = (await (await fetch(`${deployment}/_sandbox`)).json()) as SandboxFacts;
  const control = async (action: string, body: object) => {
    const answer = await fetch(`${deployment}/_sandbox/${action}`, { method: "POST", body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`The control API refused: ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  await control("limits", liftedLimits(facts.limits));
  await lift(sandboxes.urls.marketing, { rate_calls: 1e6, concurrent_calls: 1e6, daily_calls: 1e9 });
  await lift(sandboxes.urls.analytics, liftedAdmin);
  return {
    address: sandboxes.urls.marketing,
    projectId: facts.ids.project_id ?? "",
    control,
    async asked(path) {
      const { requests } = (await (await fetch(`${deployment}/_sandbox/requests`)).json()) as Requests;
      return requests.filter((request) => request.path.startsWith(path)).length;
    },
    async sent(system, method, path) {
      const { requests } = (await (await fetch(`${sandboxes.urls[system]}/_sandbox/requests`)).json()) as Requests;
      return requests.filter((request) => request.method === method && request.path.startsWith(path)).length;
    },
    async ask(system, method, path, body) {
      const url = sandboxes.urls[system];
      const team = system === "deployment" ? `?teamId=${facts.ids.team_id}` : "";
      const headers = { authorization: `Bearer ${await tokenOf(system, url)}`, "content-type": "application/json" };
      const answer = await fetch(url + path + team, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      const text = await answer.text();
      if (!answer.ok || text.includes('"success":false')) throw new Error(`${method} ${path} was answered ${text}`);
      return JSON.parse(text);
    },
    async made(wanted) {
      const marks = wanted.filter(({ makes }) => makes === "lead").map(({ mark }) => mark);
      return [
        ...(await listDeployments(deployment, facts)),
        ...(await listLeads(sandboxes.urls.marketing, marks)),
        ...(await listProperties(sandboxes.urls.analytics)),
      ];
    },
    stop: sandboxes.stop,
  };
}

async function tokenOf(system: "marketing" | "deployment" | "analytics", url: string): Promise<string> {
  const { credentials } = (await (await fetch(`${url}/_sandbox`)).json()) as SandboxFacts;
  if (system === "marketing") return marketingToken(url, credentials);
  const { administrator = "" } = (credentials.tokens ?? {}) as Record<string, string>;
  return system === "analytics" ? administrator : String(credentials.token);
}

async function marketingToken(url: string, credentials: SandboxFacts["credentials"]): Promise<string> {
  const grant = new URLSearchParams({ grant_type: "client_credentials", client_id: "", client_secret: "" });
  grant.set("client_id", String(credentials.client_id));
  grant.set("client_secret", String(credentials.client_secret));
  const answer = await fetch(`${url}/identity/oauth/token?${grant}`);
  return ((await answer.json()) as { access_token: string }).access_token;
}

/** No rate is ever used up, and builds are over at once. */
function liftedLimits(limits: Record<string, number>): Record<string, number> {
  const lifted: Record<string, number> = { concurrent_builds: 1e6 };
  for (const name of Object.keys(limits)) {
    if (/_per_(minute|hour|day|10_minutes)$/.test(name)) lifted[name] = 1e9;
    if (/^(queued|initializing|building|alias)_seconds$/.test(name)) lifted[name] = 0;
  }
  return lifted;
}

const liftedAdmin = {
  admin_requests_per_minute: 1e6,
  admin_requests_per_user_per_minute: 1e6,
  admin_writes_per_minute: 1e6,
  admin_writes_per_user_per_minute: 1e6,
};

async function lift(url: string, limits: Record<string, number>): Promise<void> {
  const answer = await fetch(`${url}/_sandbox/limits`, { method: "POST", body: JSON.stringify(limits) });
  if (!answer.ok) throw new Error(`The control API refused: ${await answer.text()}`);
}

async function ask<T>(url: string, token: string): Promise<T> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

async function listDeployments(url: string, facts: SandboxFacts): Promise<MadeRecord[]> {
  const found: MadeRecord[] = [];
  let until: number | null = null;
  do {
    const query = new URLSearchParams({
      projectId: facts.ids.project_id ?? "",
      teamId: facts.ids.team_id ?? "",
      limit: "100",
      ...(until !== null && { until: String(until) }),
    });
    const page: DeploymentPage = await ask(`${url}/v6/deployments?${query}`, String(facts.credentials.token));
    for (const { uid, meta } of page.deployments) {
      if (meta.mark) found.push({ kind: "deployment", id: uid, mark: meta.mark });
    }
    until = page.pagination.next;
  } while (until !== null);
  return found;
}

const leadsAtOnce = 100;

/** The system lists leads by their keys alone, up to three hundred of them; several may have the same. */
async function listLeads(url: string, marks: string[]): Promise<MadeRecord[]> {
  if (marks.length === 0) return [];
  const { credentials } = (await (await fetch(`${url}/_sandbox`)).json()) as SandboxFacts;
  const access_token = await marketingToken(url, credentials);
  const found: MadeRecord[] = [];
  for (let from = 0; from < marks.length; from += leadsAtOnce) {
    const emails = marks.slice(from, from + leadsAtOnce).map((mark) => `${mark}@example.com`);
    const query = new URLSearchParams({ filterType: "email", filterValues: emails.join(","), fields: "id,email" });
    const page: LeadPage = await ask(`${url}/rest/v1/leads.json?${query}`, access_token);
    if (!page.success) throw new Error(`The marketing sandbox refused: ${JSON.stringify(page)}`);
    for (const { id, email } of page.result) {
      found.push({ kind: "lead", id: String(id), mark: email.replace("@example.com", "") });
    }
  }
  return found;
}

async function listProperties(url: string): Promise<MadeRecord[]> {
  const { credentials } = (await (await fetch(`${url}/_sandbox`)).json()) as SandboxFacts;
  const { administrator = "" } = credentials.tokens as Record<string, string>;
  const found: MadeRecord[] = [];
  let pageToken = "";
  do {
    const query = new URLSearchParams({ filter: "parent:accounts/100", pageSize: "200", pageToken });
    const page: PropertyPage = await ask(`${url}/v1beta/properties?${query}`, administrator);
    for (const { name, displayName } of page.properties ?? []) {
      found.push({ kind: "property", id: name.replace("properties/", ""), mark: displayName });
    }
    pageToken = page.nextPageToken ?? "";
  } while (pageToken !== "");
  return found;
}

interface SandboxFacts {
  ids: Record<string, string>;
  credentials: Record<string, unknown>;
  limits: Record<string, number>;
}

interface Requests {
  requests: { method: string; path: string }[];
}

interface DeploymentPage {
  deployments: { uid: string; meta: Record<string, string> }[];
  pagination: { next: number | null };
}

interface LeadPage {
  success: boolean;
  result: { id: number; email: string }[];
}

interface PropertyPage {
  properties?: { name: string; displayName: string }[];
  nextPageToken?: string;
}
