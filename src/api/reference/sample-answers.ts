import type { Area } from "../../calls/define.ts";

/**
 * Values that must fit each other, so that an example could have happened: a run that waits has no output, and a run that succeeded
 * has no problem. A member takes the value exactly as it is here; `undefined` leaves it out.
 */
type Exact = Readonly<Record<string, unknown>>;

const deployment = {
  deployment_id: "dpl_7Qm2",
  url: "https://web-4k1x9-acme.vercel.app",
  state: "READY",
  environment: "production",
  branch: "main",
  creator: "ada",
  created_at: "2026-11-14T16:02:11.000Z",
};
const created = {
  deployment_id: "dpl_8Rn4",
  url: "https://web-9p2s7-acme.vercel.app",
  state: "QUEUED",
  environment: "production",
  created_at: "2026-11-15T09:30:01.000Z",
};
const limit = { name: "deployments list", left: 998, max: 1000, resets_at: "2026-11-15T09:31:00.000Z" };

const attempt = (method: string, url: string, effect: string, name: string) => ({
  request: { method, url, headers: { accept: "application/json", authorization: "Bearer [secret]" } },
  effect,
  sent_at: "2026-11-15T09:30:00.200Z",
  waited_ms: 0,
  counted: { [name]: 1 },
  ms: 41,
  response: { status: 200, headers: { "content-type": "application/json; charset=utf-8" } },
});

const listStep = {
  name: "latest",
  step: "list_deployments",
  status: "succeeded",
  output: { deployments: [deployment] },
  attempts: [attempt("GET", "https://api.vercel.com/v6/deployments?limit=1", "read", "deployments list")],
};
const createStep = {
  name: "again",
  step: "create_deployment",
  status: "succeeded",
  output: created,
  attempts: [attempt("POST", "https://api.vercel.com/v13/deployments", "create", "deployments create")],
};

/** A run of a tool that has succeeded. */
const toolRun: Exact = {
  tool_id: "tol_us_…",
  step_id: null,
  connection_id: null,
  agent_id: null,
  conversation_id: null,
  status: "succeeded",
  params: { branch: "main" },
  output: created,
  large_output: undefined,
  problem: undefined,
  waiting_for: undefined,
  source: { kind: "call" },
  steps: [listStep, createStep],
  usage: undefined,
  replay_of: undefined,
  restored_at: undefined,
  created_at: "2026-11-15T09:30:00.000Z",
  finished_at: "2026-11-15T09:30:02.000Z",
};
const asked = { name: "ask", step: "approve", status: "succeeded", output: { approved: true }, attempts: [] };

const lost = {
  code: "outcome_unknown",
  detail: "The request was sent, and the connection broke before a response arrived.",
  remedy: "Check the system, then report the outcome with `runs/{run_id}/resolve`.",
  fault: "system",
  retry: "after_look",
};

const delivered: Exact = {
  type: "run.failed",
  status: "delivered",
  attempts: 1,
  response_status: 204,
  problem: null,
  body: { type: "run.failed", timestamp: "2026-11-15T09:30:00.000Z", data: { run_id: "run_us_…", status: "failed" } },
  tried_at: "2026-11-15T09:30:01.000Z",
  delivered_at: "2026-11-15T09:30:01.000Z",
  next_attempt_at: null,
};
const undelivered: Exact = {
  ...delivered,
  status: "failed",
  attempts: 12,
  response_status: 500,
  problem: "The address responded with status 500.",
  delivered_at: null,
};

const handled: Exact = {
  status: "started",
  run_id: "run_us_…",
  run_ids: ["run_us_…"],
  problem: null,
  handled_at: "2026-11-15T09:30:01.000Z",
  body: { type: "deployment.error", payload: { deployment: { id: "dpl_7Qm2" } } },
};

const connection: Exact = {
  instance: "live",
  label: "Vercel, team Acme",
  state: "connected",
  state_reason: null,
  identity: { label: "acme", team: "acme" },
  access_level: null,
  scopes: [],
  way_in: "token",
  health: { ok: true, reason: null, checked_at: "2026-11-15T09:30:00.000Z", next_check_at: "2026-11-15T15:30:00.000Z" },
};

const signedIn: Exact = { organizations: [], sign_in_token: null };
const organizationUser: Exact = { name: "Ada", deactivated_at: null };

export const exactInArea: Partial<Record<Area, Exact>> = {
  connections: connection,
  organizations: { name: "Ada & Co" },
  limits: {
    name: "deployments list",
    window_seconds: 60,
    used: 2,
    reserved: 0,
    left: 998,
    resets_at: "2026-11-15T09:31:00.000Z",
    waiting: [],
  },
  projects: { cursor: "4821" },
  agents: {
    name: "Release watch",
    tools: ["tol_us_…"],
    rules: [{ on: "deployment.failed", tool_id: "tol_us_…", params: { id: "{{event.payload.deployment.id}}" } }],
    approval: "writes",
    run_as: "usr_us_…",
  },
  webhooks: {
    url: "https://example.com/hooks/signalbox",
    description: "Tells our chat about failed runs",
    events: ["run.failed", "connection.needs_reconnect"],
  },
  events: handled,
  schedules: {
    last_run_status: "succeeded",
    next_runs: ["2026-11-16T08:00:00.000Z", "2026-11-17T08:00:00.000Z"],
    run_as: "usr_us_…",
  },
  sessions: { method: "password", user_agent: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) …" },
  service_users: { name: "nightly deployment", deactivated_at: null },
  single_sign_on: {
    certificates: null,
    checks: [{ name: "discovery", ok: true, detail: "The provider's metadata was read." }],
  },
  directory: { path: "/Users" },
  steps: {
    keywords: ["deployments", "releases", "vercel"],
    access_level: null,
    description: "Filters by project, environment, state, branch and time.",
    label: "web",
    hint: "web",
    state: undefined,
    at: undefined,
  },
  systems: {
    title: "Deployment platform",
    guide: "/latest/documentation/connect/vercel",
    steps: ["create_deployment", "list_deployments", "cancel_deployment", "deployment_api_call"],
  },
  sandboxes: { url: "http://127.0.0.1:4112", fault_id: "1", drop: null, delay_ms: null },
  tools: { tool_id: "tol_us_…" },
};

const openHold = {
  hold_id: "hld_us_…",
  project_id: null,
  reason: "Case 2026-114",
  released_by: null,
  released_at: null,
  release_reason: null,
};

/** By the path of the operation, without `/latest/`. */
export const exactInOperation: Readonly<Record<string, Exact>> = {
  "auth/info": { name: "Ada & Co", session_id: null },
  "auth/assistants/describe": { client_name: "Claude Code", redirect_host: "127.0.0.1" },
  "auth/assistants/allow": {
    redirect_url: "http://127.0.0.1:33418/callback?code=…&iss=https://us.signalbox.example",
    grant_id: "key_us_…",
  },
  "auth/assistants/tools": {
    tool_id: "tol_us_…",
    name: "redeploy_a_branch",
    title: "Redeploy a branch",
    read_only: false,
  },
  "auth/sign_in/password": signedIn,
  "auth/sign_in/code": signedIn,
  "auth/sign_in/passkey/finish": signedIn,
  "auth/sign_up/finish": signedIn,
  "organizations/users/list": organizationUser,
  "organizations/users/update": organizationUser,
  "organizations/users/deactivate": { projects_without_active_admin: [] },
  "domains/create": { verified: false, verified_at: null, verified_by: null, provider_id: null },
  "connections/connect": {
    connection_id: undefined,
    connect_url: "https://us.signalbox.example/oauth/start?state=…",
    connect_id: "cnt_us_…",
    expires_at: "2026-11-15T09:40:00.000Z",
  },
  "connections/status": { state: "connected" },
  "connections/{connection_id}/impact": {
    tools: [{ tool_id: "tol_us_…", title: "Redeploy a branch" }],
    agents: [{ agent_id: "agt_us_…", name: "Release watch" }],
    schedules: [{ schedule_id: "sch_us_…", tool_id: "tol_us_…" }],
  },
  "connections/{connection_id}/remove": {
    revoked: { at_system: true, detail: "The token was revoked at the system." },
    left_at_system: [],
  },
  "steps/{step_id}/read": {
    status: "succeeded",
    output: { deployments: [deployment] },
    limits: [limit],
    problem: undefined,
  },
  "steps/{step_id}/run": {
    status: "succeeded",
    output: { deployments: [deployment] },
    limits: [limit],
    problem: undefined,
    large_output: undefined,
  },
  "tools/{tool_id}/trigger": toolRun,
  "runs/list": {
    ...toolRun,
    status: "outcome_unknown",
    problem: lost,
    finished_at: null,
  },
  "runs/{run_id}/get": toolRun,
  "runs/{run_id}/output": { output: { deployments: [deployment] } },
  "runs/{run_id}/cancel": { ...toolRun, status: "cancelled", output: null, steps: [listStep] },
  "runs/{run_id}/approve": {
    ...toolRun,
    status: "queued",
    output: null,
    steps: [listStep, asked],
    finished_at: null,
  },
  "runs/{run_id}/resolve": { ...toolRun, status: "queued", output: null, steps: [listStep], finished_at: null },
  "limits/history": { used: [0, 2, 14, 6], exhausted_at: null },
  "agents/{agent_id}/trigger": {
    ...toolRun,
    tool_id: null,
    agent_id: "agt_us_…",
    conversation_id: "cnv_us_…",
    params: { message: "Did the last deployment of web succeed?" },
    output: { message: "Yes. dpl_7Qm2 on main has been ready since yesterday, 16:02 UTC." },
    steps: [{ ...listStep, name: "turn_1_call_1" }],
    usage: { turns: 2, input_tokens: 2140, output_tokens: 310, total_tokens: 2450, estimated: false },
  },
  "agents/{agent_id}/conversations/list": {
    title: "Did the last deployment of web succeed?",
    conversation_id: "cnv_us_…",
    last_run_id: "run_us_…",
    last_status: "succeeded",
  },
  "agents/{agent_id}/conversations/{conversation_id}/get": {
    conversation_id: "cnv_us_…",
    status: "succeeded",
    params: { message: "Did the last deployment of web succeed?" },
    reply: "Yes. dpl_7Qm2 on main has been ready since yesterday, 16:02 UTC.",
  },
  "agents/{agent_id}/delete": { left_at_system: [] },
  "agents/{agent_id}/pause": { paused: true },
  "agents/{agent_id}/test_event": handled,
  "agents/{agent_id}/register_webhook": { problem: undefined },
  "agents/{agent_id}/unregister_webhook": { problem: undefined },
  "events/list": {
    ...handled,
    status: "failed",
    run_id: null,
    run_ids: [],
    problem: "The tool of the rule was deleted.",
  },
  "webhooks/failures": {
    last: {
      ...undelivered,
      delivery_id: "dlv_us_…",
      webhook_id: "whk_us_…",
      event_id: "evt_us_…",
      created_at: "2026-11-12T09:30:00.000Z",
    },
  },
  "webhooks/{webhook_id}/test": { ...delivered, type: "webhook.test", body: { type: "webhook.test", data: {} } },
  "webhooks/{webhook_id}/deliveries": undelivered,
  "organizations/holds/create": openHold,
  "organizations/holds/list": openHold,
  "organizations/holds/release": {
    ...openHold,
    released_by: "usr_us_…",
    released_at: "2026-12-01T10:00:00.000Z",
    release_reason: "Case 2026-114 is closed",
  },
  "organizations/archives/list": {
    archive_id: "arc_us_…",
    kind: "runs",
    file: "us/org_us_…/runs-2026-11-12-arc_us_….jsonl.gz",
    records: 1204,
    sha256: "8f43c1…",
  },
  "sandboxes/{system}/add_fault": { path: null, status: null, drop: "after", times: 1 },
};
