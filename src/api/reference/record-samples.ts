import { samples } from "../../systems/samples.ts";

/**
 * Values that must fit each other, so that an example could have happened: a run that waits has no output, and a run that succeeded
 * has no problem. A member takes the value exactly as it is here; `undefined` leaves it out.
 */
export type Exact = Readonly<Record<string, unknown>>;

const { reading, writing, event } = samples;

export const limit = { name: reading.limit, left: 998, max: 1000, resets_at: "2026-11-15T09:31:00.000Z" };

const attempt = (method: string, url: string, effect: string, name: string) => ({
  request: { method, url, headers: { accept: "application/json", authorization: "Bearer [secret]" } },
  effect,
  sent_at: "2026-11-15T09:30:00.200Z",
  waited_ms: 0,
  counted: { [name]: 1 },
  ms: 41,
  response: { status: 200, headers: { "content-type": "application/json; charset=utf-8" } },
});

export const listStep = {
  name: "latest",
  step: reading.step,
  status: "succeeded",
  output: reading.output,
  attempts: [attempt("GET", reading.urlOfOne, "read", reading.limit)],
};
const createStep = {
  name: "again",
  step: writing.step,
  status: "succeeded",
  output: writing.output,
  attempts: [attempt("POST", writing.url, "create", writing.limit)],
};

/** A run of a tool that has succeeded. */
export const toolRun: Exact = {
  tool_id: "tol_us_…",
  step_id: null,
  connection_id: null,
  agent_id: null,
  conversation_id: null,
  status: "succeeded",
  params: { branch: "main" },
  output: writing.output,
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
export const asked = { name: "ask", step: "approve", status: "succeeded", output: { approved: true }, attempts: [] };

export const lost = {
  code: "outcome_unknown",
  detail: "The request was sent, and the connection broke before a response arrived.",
  remedy: "Check the system, then report the outcome with `runs/{run_id}/resolve`.",
  fault: "system",
  retry: "after_look",
};

export const delivered: Exact = {
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
export const undelivered: Exact = {
  ...delivered,
  status: "failed",
  attempts: 12,
  response_status: 500,
  problem: "The address responded with status 500.",
  delivered_at: null,
};

export const handled: Exact = {
  status: "started",
  run_id: "run_us_…",
  run_ids: ["run_us_…"],
  problem: null,
  handled_at: "2026-11-15T09:30:01.000Z",
  body: { type: event.systemName, payload: event.payload },
};

export const connection: Exact = {
  instance: "live",
  label: samples.account,
  state: "connected",
  state_reason: null,
  identity: { label: "acme", team: "acme" },
  access_level: null,
  scopes: [],
  way_in: "token",
  health: { ok: true, reason: null, checked_at: "2026-11-15T09:30:00.000Z", next_check_at: "2026-11-15T15:30:00.000Z" },
};

export const signedIn: Exact = { organizations: [], sign_in_token: null };
export const organizationUser: Exact = { name: "Ada", deactivated_at: null };

export const openHold = {
  hold_id: "hld_us_…",
  project_id: null,
  reason: "Case 2026-114",
  released_by: null,
  released_at: null,
  release_reason: null,
};
