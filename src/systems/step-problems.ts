/**
 * Every way a step can end without success, whichever system it called. `fault` says who can fix it: the caller who wrote
 * the input, the connected account, the system, or the policy of this platform. `retry` says whether the same call may
 * simply be made again: later, after something was fixed, or only after a person has checked.
 */
export const stepProblems = {
  needs_reconnect: {
    fault: "account",
    retry: "after_fix",
    means:
      "The connected account no longer works: its grant was revoked or has expired, or the connection was removed.",
    remedy: "Reconnect it: `connections/connect` with its `connection_id` keeps the id and everything that uses it.",
  },
  authentication_failed: {
    fault: "account",
    retry: "after_fix",
    means: "The system does not accept the account's credentials.",
    remedy: "Check client id, client secret and address of the account, then connect it again.",
  },
  permission_denied: {
    fault: "account",
    retry: "after_fix",
    means: "The system does not allow the account to do this.",
    remedy: "Ask for a higher role or a missing scope at the system, or use another account.",
  },
  not_found_there: {
    fault: "caller",
    retry: "after_fix",
    means: "The system has no such record, or the account cannot see it.",
    remedy: "Check the id, and whether the account has access to it.",
  },
  invalid_there: {
    fault: "caller",
    retry: "after_fix",
    means: "The system does not accept the request as it is.",
    remedy: "Correct what the system names; its own words are in `detail`.",
  },
  conflict_there: {
    fault: "caller",
    retry: "after_fix",
    means: "The request conflicts with what the system already has, or with the state it is in.",
    remedy: "Read the current state of the record, then decide.",
  },
  rate_limited: {
    fault: "system",
    retry: "later",
    means:
      "A limit of the system is exhausted, and does not reset within the time that this call may wait. Nothing was sent.",
    remedy: "Call again after `retry_at`, or with a longer `wait_seconds`. `limits/list` shows every limit.",
  },
  quota_exhausted: {
    fault: "system",
    retry: "later",
    means: "A daily or hourly quota of the system is exhausted.",
    remedy: "Call again after `retry_at`, request less, or get a larger quota at the system.",
  },
  system_unavailable: {
    fault: "system",
    retry: "later",
    means: "The system could not be reached, or returned an error of its own.",
    remedy: "Call again later. Nothing was changed.",
  },
  timed_out: {
    fault: "system",
    retry: "later",
    means: "The system did not respond in time.",
    remedy: "Call again later, or request less at a time.",
  },
  outcome_unknown: {
    fault: "system",
    retry: "after_look",
    means: "A write was sent and its response was lost, so it may or may not have happened.",
    remedy:
      "Check the system, then report the outcome with `runs/{run_id}/resolve`. Signalbox never sends such a write again by itself.",
  },
  policy_denied: {
    fault: "policy",
    retry: "after_fix",
    means: "The policy of this connection does not allow the request. Nothing was sent.",
    remedy: "Use what the policy allows, or ask an admin of the project to change it.",
  },
  invalid_input: {
    fault: "caller",
    retry: "after_fix",
    means: "The values that the tool passed to the step are invalid.",
    remedy: "Correct the tool, or the params it was started with; `detail` names the value.",
  },
  expression_failed: {
    fault: "caller",
    retry: "after_fix",
    means: "An expression of the tool could not be evaluated.",
    remedy: "Correct the expression; `detail` names it and says what is wrong.",
  },
  compute_exhausted: {
    fault: "caller",
    retry: "later",
    means: "The organization has used up its computing time for expressions, schemas and large responses.",
    remedy:
      "Run it again in a minute. If it happens often, simplify the slowest expressions, or ask the systems for less.",
  },
  not_approved: {
    fault: "caller",
    retry: "after_fix",
    means: "A person rejected the request, or the request had changed since it was approved.",
    remedy: "Start the run again, and have the new request reviewed.",
  },
  owner_deactivated: {
    fault: "policy",
    retry: "after_fix",
    means: "The person on whose behalf the run acted was deactivated. The run stopped before its next step.",
    remedy: "Ask another editor of the project to replay the run, or reactivate the person first.",
  },
  owner_not_allowed: {
    fault: "policy",
    retry: "after_fix",
    means:
      "The person on whose behalf the run acted is no longer an editor of the project. The run stopped before its next step.",
    remedy: "Ask an editor of the project to replay the run.",
  },
  internal: {
    fault: "system",
    retry: "after_look",
    means: "Signalbox failed repeatedly while it worked on this run, and stopped retrying.",
    remedy: "Ask the operator to find the cause in the log by the run's id. Once it is fixed, replay the run.",
  },
  model_not_configured: {
    fault: "system",
    retry: "after_fix",
    means: "The server that works on the run has no such model in its settings.",
    remedy: "Ask the operator to set what `detail` names on every node, then replay the run.",
  },
  model_unavailable: {
    fault: "system",
    retry: "later",
    means: "The model's server was busy, unreachable or returned unreadable responses, several times in a row.",
    remedy: "Replay the run later. Steps that have ended are not undone.",
  },
  model_refused: {
    fault: "account",
    retry: "after_fix",
    means: "The model's server rejects the request: a wrong key, an unknown model, or a conversation that is too long.",
    remedy: "Correct what `detail` names: the agent's `model`, or the key in the settings.",
  },
  turns_used_up: {
    fault: "caller",
    retry: "after_fix",
    means: "The model used all turns that the agent allows, and is not done.",
    remedy: "Check in the steps what the model repeated. Make the instructions clearer, or raise `max_turns`.",
  },
  tokens_used_up: {
    fault: "caller",
    retry: "after_fix",
    means: "The run used all tokens that the agent allows.",
    remedy: "Let it request less at a time, or raise `max_tokens`.",
  },
  time_used_up: {
    fault: "caller",
    retry: "after_fix",
    means: "The run took longer than the agent allows. Time spent waiting for people does not count.",
    remedy: "Start it again, or raise `max_minutes`.",
  },
  response_too_large: {
    fault: "caller",
    retry: "after_fix",
    means: "The response is larger than a step accepts, or the outputs of the run's steps exceed what a run can store.",
    remedy: "Request fewer fields or rows, or page through the results.",
  },
} as const satisfies Record<string, { fault: Fault; retry: Retry; means: string; remedy: string }>;

/** "limit kept here": our own count spared the system a refusal. */
export type Fault = "caller" | "account" | "system" | "policy" | "limit kept here";
export type Retry = "later" | "after_fix" | "after_look";
export type StepProblemCode = keyof typeof stepProblems;

/** A problem before anything is sent. */
export const stepProblem = (code: StepProblemCode, detail: string): StepProblem => {
  const { fault, retry, remedy } = stepProblems[code];
  return { code, detail, remedy, fault, retry };
};

/** As part of a run's result. */
export interface StepProblem {
  code: StepProblemCode;
  detail: string;
  remedy: string;
  fault: Fault;
  retry: Retry;
  retry_at?: string;
  system_code?: string;
  /** With the fault "account": that account. */
  connection_id?: string;
  /** The affected parts of the input, as JSON Pointers. */
  errors?: { pointer: string; detail: string }[];
}
