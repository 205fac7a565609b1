import type { Area, Operation } from "../../calls/define.ts";
import type { Region } from "../../kernel/regions.ts";
import { answerSchemaOf, type JsonSchema } from "../schemas.ts";

const time = "2026-11-15T09:30:00.000Z";
const hash = "9f2c…";

/** Values that make an example answer look like a real one. */
const samples: Readonly<Record<string, unknown>> = {
  action: "invite.created",
  actions: { "role:editor": true },
  actor: "person",
  active: true,
  api_key: "sbk_us_…",
  content: "seq,created_at,action,…\r\n",
  created_by: "usr_us_…",
  description: "The shop and its back office",
  current: true,
  deactivated_at: null,
  details: { email: "ada@example.com", actions: ["role:editor"] },
  email: "ada@example.com",
  format: "csv",
  hash,
  head: hash,
  hint: "x7Qd",
  invite_code: "inv_us_…",
  invited_by: "usr_us_…",
  invites_withdrawn: 0,
  ip: "192.0.2.7",
  key_id: "key_us_…",
  keys_deactivated: 2,
  keys_restored: 0,
  label: "nightly report",
  managed: false,
  name: "Web shop",
  organization_id: "org_us_…",
  organization_role: "member",
  prev_hash: "41d8…",
  project_id: "prj_us_…",
  region: "us",
  replaces: "key_us_…",
  request_id: "req_…",
  role: "editor",
  rows: 128,
  sent_count: 1,
  seq: 128,
  session_id: "ses_us_…",
  second_factor: "optional",
  sessions_ended: 1,
  signed_out: true,
  target: "inv_us_…",
  user_id: "usr_us_…",
  valid: true,
  access_level: "administrator",
  addresses: { main: "https://api.vercel.com" },
  at_system: true,
  available: true,
  after: null,
  body: { deployments: [] },
  code: "rate_limited",
  connection_id: "con_us_…",
  detail: "Max rate limit '100' exceeded with in '20' secs",
  effect: "read",
  fault: "system",
  headers: { accept: "application/json" },
  input: { limit: 5 },
  input_schema: { type: "object" },
  output_schema: { type: "object" },
  left: 998,
  max: 1000,
  used: 2,
  method: "GET",
  ms: 41,
  output: { deployments: [] },
  params: { limit: 5 },
  remedy: "Call again after `retry_at`.",
  retry: "later",
  run_id: "run_us_…",
  started_by: "usr_us_…",
  status: 200,
  step: "list_deployments",
  step_id: "list_deployments",
  summary: "Lists deployments, newest first.",
  system: "deployment",
  system_code: "606",
  title: "List Deployments",
  tool_id: null,
  url: "https://api.vercel.com/v6/deployments?limit=5",
  value: "prj_A1",
  vendor: "Vercel",
  waited_ms: 0,
  waiting_others: 0,
  warnings: [],
  ways: ["oauth", "token"],
  options: ["project"],
  calls: 1,
  tokens: 1,
  note: "One call",
  allowed: true,
  retry_at: time,
  resets_at: time,
  subject: "deployment|https://api.vercel.com|deployments-list",
  since: time,
  caller: "key_us_…",
  others_waiting: 0,
  count: 0,
  agent_id: "agt_us_…",
  attempts: 1,
  delivery_id: "dlv_us_…",
  event_id: "evt_us_…",
  events: ["deployment.created"],
  instructions: "Look after the releases of the shop.",
  on: "deployment.failed",
  paused: false,
  queued: 1,
  queued_events: 0,
  response_status: 204,
  system_type: "deployment.error",
  system_webhook_id: "account_hook_…",
  type: "deployment.failed",
  webhook_id: "whk_us_…",
  webhook_secret: "whsec_…",
  webhook_url: "https://us.signalbox.example/latest/agents/agt_us_…/webhook/…",
  whole_organization: false,
  handle: "/steps/0/output",
  bytes: 412_806,
  preview: '{"deployments":[{"uid":"dpl_7Qm2",',
  counted: { "deployments-list": 1 },
  ok: true,
  usage: { turns: 3, input_tokens: 2140, output_tokens: 310, total_tokens: 2450, estimated: false },
  max_turns: 20,
  max_tokens: 500_000,
  max_minutes: 60,
  runs: 2,
  identity: { label: "ann" },
  policy: null,
  settings: {},
};

/** Members that are null in the example though they may hold something. */
const usuallyNull = [
  "accepted_at",
  "broken_at",
  "expires_at",
  "reason",
  "tool_id",
  "max_role",
  "next",
  "project_ids",
  "revoked_at",
  "status_reason",
];
const nullInArea: Partial<Record<Area, string[]>> = { invites: ["user_id"], schedules: ["last_problem"] };

/** Where a word says something else than elsewhere. */
const inArea: Partial<Record<Area, Record<string, unknown>>> = {
  single_sign_on: {
    certificates: null,
    client_id: "signalbox",
    default_permissions: null,
    default_project_id: null,
    directory_id: null,
    domain: "example.com",
    domain_id: "dom_us_…",
    enabled: true,
    entity_id: null,
    entry_point: null,
    has_client_secret: true,
    identity_id: "idn_us_…",
    issuer: "https://idp.example.com",
    just_in_time: true,
    kind: "oidc",
    label: "Our provider",
    provider_id: "sso_us_…",
    record: "signalbox-verification=…",
    register_at_provider: { redirect_uri: "https://us.signalbox.example/sso/oidc/callback" },
    required: false,
    scopes: ["openid", "email", "profile"],
    sign_in_url: "https://us.signalbox.example/sso/start?provider=sso_us_…",
    subject: "00u1a2b3",
    unlinked: 12,
    verified: true,
    verified_by: "dns",
  },
  directory: {
    directory_id: "dir_us_…",
    display_name: "Engineers",
    group_id: "grp_us_…",
    groups: 12,
    label: "Entra ID",
    members: 34,
    people: 240,
    scim_token: "sbs_us_…",
    token_id: "dtk_us_…",
  },
  sign_in: {
    enrolling: false,
    invited_by: "owner@example.com",
    label: "My laptop",
    options: { challenge: "…", rpId: "us.signalbox.example" },
    organization: "Ada & Co",
    passkey_id: "pky_us_…",
    passkeys: 1,
    project: "Web shop",
    qr: ["1111111…"],
    recovery_codes: ["k7xq-m2p9-…"],
    recovery_codes_left: 9,
    secret: "JBSWY3DPEHPK3PXP…",
    sign_in_token: null,
    sign_up_token: "4fQx…",
    sso_required: false,
    sso_url: null,
    state: "signed_in",
    synced: true,
    uri: "otpauth://totp/Signalbox:ada%40example.com?secret=…",
  },
  tools: {
    tool_id: "tol_us_…",
    title: "Redeploy a branch",
    description: "Builds the newest commit of a branch",
    params_schema: { type: "object", properties: { branch: { type: "string" } }, required: ["branch"] },
    steps: [
      {
        name: "again",
        step: "create_deployment",
        connection_id: "con_us_…",
        input: { project: "web", branch: "{{params.branch}}" },
      },
    ],
    output: "{{steps.again.output}}",
    revision: 3,
    published_version: 2,
    version: 2,
    note: "Waits for the build",
    rewritten: 1,
    schedules_deleted: 0,
    errors: [],
    yaml: "title: Redeploy a branch\n…",
  },
  schedules: {
    schedule_id: "sch_us_…",
    tool_id: "tol_us_…",
    cron: "0 9 * * 1-5",
    time_zone: "Europe/Berlin",
    params: { branch: "main" },
    enabled: true,
    last_run_id: "run_us_…",
  },
};

/** What the operation might answer, made from the shape that it promises. A change answers what its example sent. */
export function exampleAnswerOf(operation: Operation, region: Region): unknown {
  const sent = operation.audit === null ? {} : (operation.example as Record<string, unknown>);
  const nulls = [...usuallyNull, ...(nullInArea[operation.area] ?? [])];
  return inRegion(
    sampleOf(answerSchemaOf(operation), "", { values: { ...samples, ...inArea[operation.area], ...sent }, nulls }),
    region,
  );
}

/** Example ids are written for the region us; the page of another region shows its own. */
export const inRegion = <T>(value: T, region: Region): T =>
  JSON.parse(
    JSON.stringify(value).replaceAll("_us_", `_${region}_`).replaceAll('"region":"us"', `"region":"${region}"`),
  ) as T;

interface Known {
  values: Readonly<Record<string, unknown>>;
  nulls: string[];
}

const isNullable = (schema: JsonSchema = {}): boolean =>
  schema.anyOf?.some((each) => each.type === "null") || schema.type?.includes("null") || false;

function sampleOf(schema: JsonSchema, name: string, known: Known): unknown {
  if (isNullable(schema) && known.nulls.includes(name)) return null;
  const value = known.values[name];
  if (schema.enum) return schema.enum.find((word) => word === value) ?? schema.enum[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.anyOf) return sampleOf(schema.anyOf[0] ?? {}, name, known);
  if (schema.format === "date-time") return time;
  if (schema.items && Array.isArray(value) && value.every((item) => hasAll(schema.items?.required, item))) return value;
  if (schema.items) return [sampleOf(schema.items, name, known)];
  if (schema.properties && (typeof value !== "object" || Array.isArray(value))) {
    // What is seldom there, and has no sample, is left out.
    const isShown = (member: string) => schema.required?.includes(member) || known.values[member] !== undefined;
    return Object.fromEntries(
      Object.entries(schema.properties)
        .map(([member, inner]) => [member, sampleOf(inner, member, known)] as const)
        .filter(([member, sample]) => sample !== null || isShown(member) || isNullable(schema.properties?.[member])),
    );
  }
  if (schema.type === "string" && typeof value !== "string") return "…";
  return value ?? null;
}

const hasAll = (names: string[] = [], item: unknown): boolean =>
  names.every((name) => typeof item === "object" && item !== null && Object.hasOwn(item, name));
