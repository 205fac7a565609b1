import { type Child, startChild } from "./load/child.ts";
import type { CallToMake } from "./load/requests.ts";
import type { Plan } from "./rounds/compare.ts";
import { byRateAndCpu } from "./rounds/measured-lines.ts";
import { inRounds, spreadOf } from "./rounds/rounds.ts";
import type { Line } from "./rounds/table.ts";
import type { SandboxesStarted } from "./targets/sandbox-server.ts";
import { startLoad, type Target, warmUp } from "./targets/target.ts";

interface SandboxFacts {
  credentials: { client_id: string; client_secret: string; token: string; team_id: string; tokens: { viewer: string } };
  ids: { project_id: string };
  limits: Record<string, unknown>;
}

/** A simple read of each system, with the credential that its control API lists. */
const reads: ((url: string, facts: SandboxFacts) => Promise<CallToMake>)[] = [
  async (url, { credentials }) => {
    const query = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: credentials.client_id,
      client_secret: credentials.client_secret,
    });
    const { access_token } = (await read(`${url}/identity/oauth/token?${query}`)) as { access_token: string };
    return bearing(access_token, "/rest/v1/leads.json?filterType=id&filterValues=1001");
  },
  async (_url, { credentials, ids }) =>
    bearing(credentials.token, `/v9/projects/${ids.project_id}?teamId=${credentials.team_id}`),
  async (_url, { credentials }) => bearing(credentials.tokens.viewer, "/v1beta/properties/1000"),
];
const names = ["marketing", "deployment", "analytics"];

const bearing = (token: string, path: string): CallToMake => ({
  method: "GET",
  path,
  headers: { authorization: `Bearer ${token}` },
});

/** "Each sandbox answers a simple read at no less than a third of a bare node:http server's rate." */
export async function sandboxReads(plan: Plan): Promise<Line[]> {
  const sandboxes = startChild("server", new URL("./targets/sandbox-server.ts", import.meta.url));
  const { urls, startMilliseconds, megabytes } = (await sandboxes.ready) as SandboxesStarted;
  console.log(`The three sandboxes: ready in ${startMilliseconds} ms, ${megabytes} MB.`);
  console.log(`A report of 365 days and two dimensions: ${await reportMilliseconds(urls[2] ?? "")} ms.`);
  const load = await startLoad();
  const lines: Line[] = [];
  try {
    for (const [index, url] of urls.entries()) {
      await liftLimits(url);
      const call = await (reads[index] as (typeof reads)[number])(url, (await read(`${url}/_sandbox`)) as SandboxFacts);
      const ours = { target: targetAt(url, sandboxes), calls: [call] };
      const bare = { target: await startBare(url, call), calls: [call] };
      for (const each of [ours, bare]) await warmUp(load, each);
      const title = `simple read, ${names[index]} sandbox`;
      const [rates = [], theirs = []] = await inRounds(
        plan.rounds,
        [ours, bare].map((each) => () => load.measure(each, plan.seconds)),
        (round) => console.log(`${title}: round ${round + 1} of ${plan.rounds}`),
      );
      await bare.target.stop();
      lines.push(...byRateAndCpu(title, rates, "bare node:http", theirs, { rate: 0.33, cpu: null }));
    }
  } finally {
    await Promise.all([load.stop(), sandboxes.stop()]);
  }
  return lines;
}

const reportsCounted = 11;

/** The median of some reports, each of another range, so that none can be remembered. */
async function reportMilliseconds(url: string): Promise<number> {
  const { credentials } = (await read(`${url}/_sandbox`)) as SandboxFacts;
  const times: number[] = [];
  for (let day = 1; day <= reportsCounted; day++) {
    const startedAt = performance.now();
    const response = await fetch(`${url}/v1beta/properties/1000:runReport`, {
      method: "POST",
      headers: { authorization: `Bearer ${credentials.tokens.viewer}`, "content-type": "application/json" },
      body: JSON.stringify({
        dateRanges: [{ startDate: `${364 + day}daysAgo`, endDate: `${day}daysAgo` }],
        dimensions: [{ name: "date" }, { name: "country" }],
        metrics: [{ name: "sessions" }, { name: "activeUsers" }],
        limit: 100_000,
      }),
    });
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
    times.push(performance.now() - startedAt);
  }
  return Math.round(spreadOf(times).median);
}

/** Their limits are what they are for; here they would only be in the way. */
async function liftLimits(url: string): Promise<void> {
  const { limits } = (await read(`${url}/_sandbox`)) as SandboxFacts;
  const lifted = Object.entries(limits).filter(
    ([name, value]) => typeof value === "number" && /calls|per_minute|requests/.test(name),
  );
  const response = await fetch(`${url}/_sandbox/limits`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(Object.fromEntries(lifted.map(([name]) => [name, 1_000_000_000]))),
  });
  if (!response.ok) throw new Error(`${url}/_sandbox/limits answered ${await response.text()}`);
}

const targetAt = (url: string, child: Child): Target => ({
  name: url,
  port: Number(new URL(url).port),
  pid: child.pid,
  stop: () => child.stop(),
});

async function startBare(url: string, call: CallToMake): Promise<Target> {
  const response = await fetch(url + call.path, { headers: call.headers });
  if (!response.ok) throw new Error(`${call.path} answered ${response.status}: ${await response.text()}`);
  const answers = JSON.stringify({ [call.path]: await response.text() });
  const child = startChild("server", new URL("./peers/bare-server.ts", import.meta.url), [answers]);
  const { port } = (await child.ready) as { port: number };
  return { name: "bare node:http", port, pid: child.pid, stop: () => child.stop() };
}

async function read(url: string): Promise<unknown> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.json();
}
