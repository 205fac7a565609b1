import { setTimeout as wait } from "node:timers/promises";
import type { FirstRun } from "../src/start/first-run/first-run.ts";

/** What pictures link to. */
export interface ExampleDay {
  projectId: string;
  releaseTool: string;
  /** A run that went through all of its steps. */
  finishedRun: string;
  /** A run of the report that Reports shows. */
  reportRun: string;
  /** What waits in the inbox. */
  lostRun: string;
}

type Body = Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: the answers of many operations, read by member.
type Call = (operation: string, body?: Body) => Promise<any>;

/** Fills the first project with a day of a small shop, through the API, on the sandboxes. */
export async function fillExampleDay({ regions, sandboxes }: FirstRun): Promise<ExampleDay> {
  const first = regions.us;
  const { marketing, deployment, analytics } = first?.connections ?? {};
  if (!first || !sandboxes || !marketing || !deployment || !analytics)
    throw new Error("The first run is not complete.");
  const call = callerOf(first.base_url, `${first.project_id}:${first.api_key}`);

  await call("organizations/update", { organization_id: first.organization_id, name: "Acme" });
  await call("projects/update", { name: "Web shop", description: "The shop and its campaigns" });
  await call(`connections/${marketing}/update`, { label: "Newsletter", settings: { daily_quota: 50 } });
  await call(`connections/${deployment}/update`, { label: "Acme team" });
  await call(`connections/${analytics}/update`, { label: "Shop figures" });
  for (const [email, role] of people) await call("auth/invite/create", { email, permissions: permissionsOf(role) });

  const { tool_id: releaseTool } = await call("tools/create", releaseDefinition(deployment, marketing));
  const { tool_id: visitorsTool } = await call("tools/create", visitorsDefinition(deployment, analytics));
  const { tool_id: welcomeTool } = await call("tools/create", welcomeDefinition(marketing));
  const { tool_id: countTool } = await call("tools/create", countDefinition(marketing));
  await call(`tools/${releaseTool}/publish`);
  await call("schedules/create", { tool_id: visitorsTool, cron: "0 9 * * 1-5", time_zone: "Europe/Berlin" });

  for (const list of [1001, 1002, 1003]) await call(`tools/${countTool}/trigger`, { params: { list } });
  for (let turn = 0; turn < 40; turn++) await call(`steps/marketing_api_call/run`, readUsage(marketing));
  await call(`tools/${visitorsTool}/trigger`);
  const report = await call("steps/run_reports/run", { connection_id: analytics, input: reportInput });

  const finishedRun = await startRelease(call, releaseTool, "main");
  await call(`runs/${finishedRun}/approve`, { approved: true });
  await untilStatus(call, finishedRun, "succeeded");

  // The system does what it is asked, and its response is lost: nobody can tell from here whether it happened.
  const path = `/rest/v1/campaigns/${welcomeCampaign}/trigger.json`;
  await control(sandboxes.marketing, "faults", { match: { method: "POST", path }, times: 1, drop: "after" });
  const { run_id: lostRun } = await call(`tools/${welcomeTool}/trigger_async`, { params: { lead: 1020 } });
  await untilStatus(call, lostRun, "outcome_unknown");

  await startRelease(call, releaseTool, "feature/checkout");
  await control(sandboxes.deployment, "limits", { building_seconds: 3600 });
  const preview = { project: "web", branch: "feature/checkout" };
  await call("steps/create_deployment/run", { connection_id: deployment, input: preview });
  await startRelease(call, releaseTool, "feature/prices");
  // Runs that are under way while the pictures are taken.
  for (const pause of [900, 1800]) await call(`tools/${visitorsTool}/trigger_async`, { params: { pause } });
  return { projectId: first.project_id, releaseTool, finishedRun, reportRun: report.run_id, lostRun };
}

const people: [email: string, role: string][] = [
  ["ada@example.com", "admin"],
  ["grace@example.com", "role:editor"],
  ["linus@example.com", "role:viewer"],
];
const permissionsOf = (role: string) => ({ items: { platformDefault: { actions: { [role]: true } } } });

/** The seeded campaign "Send Welcome". */
const welcomeCampaign = 3001;

const releaseDefinition = (deployment: string, marketing: string) => ({
  title: "Release the web shop",
  description: "Deploys a branch once a person has agreed, then counts who will hear of it.",
  params_schema: {
    type: "object",
    properties: { branch: { type: "string", title: "Branch", default: "main" } },
    required: ["branch"],
  },
  steps: [
    { name: "latest", step: "list_deployments", connection_id: deployment, input: { project: "web", limit: 3 } },
    { name: "ask", step: "approve", input: { message: "Deploy {{params.branch}} of the web shop?" } },
    {
      name: "deploy",
      step: "create_deployment",
      connection_id: deployment,
      input: {
        project: "web",
        branch: "{{params.branch}}",
        metadata: { after: "{{steps.latest.output.deployments[0].deployment_id}}" },
      },
    },
    { name: "ready", step: "wait_for_deployment", input: { deployment_id: "{{steps.deploy.output.deployment_id}}" } },
    {
      name: "readers",
      step: "marketing_api_call",
      connection_id: marketing,
      input: { method: "GET", endpoint: "/rest/v1/lists/1001.json" },
    },
  ],
});

const visitorsDefinition = (deployment: string, analytics: string) => ({
  title: "Daily visitors",
  params_schema: { type: "object", properties: { pause: { type: "integer", title: "Seconds to wait first" } } },
  steps: [
    { name: "pause", step: "wait", if: "{{ params.pause > 0 }}", input: { seconds: "{{params.pause}}" } },
    { name: "latest", step: "list_deployments", connection_id: deployment, input: { project: "web", limit: 1 } },
    { name: "visitors", step: "run_reports", connection_id: analytics, input: reportInput },
  ],
});

const welcomeDefinition = (marketing: string) => ({
  title: "Welcome a new customer",
  params_schema: { type: "object", properties: { lead: { type: "integer", title: "Person" } }, required: ["lead"] },
  steps: [
    {
      name: "welcome",
      step: "marketing_api_call",
      connection_id: marketing,
      input: {
        method: "POST",
        endpoint: `/rest/v1/campaigns/${welcomeCampaign}/trigger.json`,
        body: { input: { leads: [{ id: "{{params.lead}}" }] } },
      },
    },
  ],
});

const countDefinition = (marketing: string) => ({
  title: "Read a list",
  params_schema: { type: "object", properties: { list: { type: "integer", title: "List" } }, required: ["list"] },
  steps: [
    {
      name: "list",
      step: "marketing_api_call",
      connection_id: marketing,
      input: { method: "GET", endpoint: "/rest/v1/lists/{{params.list}}.json" },
    },
  ],
});

const reportInput = {
  property_id: "1000",
  metrics: ["activeUsers", "sessions"],
  dimensions: ["date"],
  date_range: { start_date: "28daysAgo", end_date: "yesterday" },
  order_by: [{ field: "date" }],
  limit: 1000,
};

const readUsage = (marketing: string) => ({
  connection_id: marketing,
  input: { method: "GET", endpoint: "/rest/v1/stats/usage.json" },
});

async function startRelease(call: Call, tool: string, branch: string): Promise<string> {
  const { run_id } = await call(`tools/${tool}/trigger_async`, { params: { branch } });
  await untilStatus(call, run_id, "waiting");
  return run_id;
}

const patienceMs = 120_000;

async function untilStatus(call: Call, runId: string, wanted: string): Promise<void> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const { status } = await call(`runs/${runId}/get`);
    if (status === wanted) return;
    if (Date.now() > end) throw new Error(`The run is ${status}, not ${wanted}.`);
    await wait(200);
  }
}

const callerOf =
  (baseUrl: string, credentials: string): Call =>
  (operation, body = {}) =>
    post(`${baseUrl}/latest/${operation}`, body, { authorization: `Bearer ${credentials}` });

const control = (sandbox: string, what: string, body: Body) => post(`${sandbox}/_sandbox/${what}`, body);

async function post(url: string, body: Body, headers: Record<string, string> = {}) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${new URL(url).pathname} was refused: ${text}`);
  return text === "" ? {} : JSON.parse(text);
}
