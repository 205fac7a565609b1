/**
 * Every way a step can end without success, whichever system it called. `fault` says who can mend it: the caller who wrote
 * the input, the connected account, the system, or the policy of this platform. `retry` says whether the same call may
 * simply be made again: later, after something was mended, or not before a person has looked.
 */
export const stepProblems = {
  needs_reconnect: {
    fault: "account",
    retry: "after_fix",
    means: "The connected account no longer opens: the grant was withdrawn, expired, or the connection was removed.",
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
    means: "The account is known to the system, and is not allowed to do this.",
    remedy: "Ask for a higher role or a missing scope at the system, or use another account.",
  },
  not_found_there: {
    fault: "caller",
    retry: "after_fix",
    means: "The system has no such record, or the account cannot see it.",
    remedy: "Check the id, and that the account reaches it.",
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
    remedy: "Read the record's present state, then decide.",
  },
  rate_limited: {
    fault: "system",
    retry: "later",
    means: "A limit of the system is used up, and would not be free in the time this call may wait. Nothing was sent.",
    remedy: "Call again after `retry_at`, or with a longer `wait_seconds`. `limits/list` shows every limit.",
  },
  quota_exhausted: {
    fault: "system",
    retry: "later",
    means: "A quota of the day or of the hour is used up at the system.",
    remedy: "Call again after `retry_at`; ask for less, or for a larger quota at the system.",
  },
  system_unavailable: {
    fault: "system",
    retry: "later",
    means: "The system could not be reached, or answered with an error of its own.",
    remedy: "Call again later. Nothing was changed.",
  },
  timed_out: {
    fault: "system",
    retry: "later",
    means: "The system did not answer in time.",
    remedy: "Call again later, or ask for less at a time.",
  },
  outcome_unknown: {
    fault: "system",
    retry: "after_look",
    means: "A write was sent and its answer never came: it may have happened.",
    remedy:
      "Look at the system, then say with `runs/{run_id}/resolve` what happened. It is never sent again by itself.",
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
    means: "The values that a tool filled in do not fit the step.",
    remedy: "Correct the tool, or the params it was started with; `detail` says which value is meant.",
  },
  expression_failed: {
    fault: "caller",
    retry: "after_fix",
    means: "An expression of the tool gave no value.",
    remedy: "Correct the expression; `detail` says which one is meant, and why.",
  },
  compute_exhausted: {
    fault: "caller",
    retry: "later",
    means: "The organization has used up its computing time for expressions, schemas and the like.",
    remedy: "Run it again in a minute. Where it happens often, simplify the expressions that take longest.",
  },
  not_approved: {
    fault: "caller",
    retry: "after_fix",
    means: "A person did not approve, or what would have been sent was no longer what they had seen.",
    remedy: "Start the run again, and have the request looked at once more.",
  },
  owner_deactivated: {
    fault: "policy",
    retry: "after_fix",
    means: "The person on whose behalf the run worked was deactivated. It stopped before its next step.",
    remedy: "Somebody who may run it replays it, or the person is reactivated and does.",
  },
  owner_not_allowed: {
    fault: "policy",
    retry: "after_fix",
    means:
      "The person on whose behalf the run worked is no longer an editor of the project. It stopped before its next step.",
    remedy: "Somebody who may run it replays it.",
  },
  internal: {
    fault: "system",
    retry: "after_look",
    means: "Signalbox itself failed at this run again and again, and gave it up.",
    remedy: "The operator finds the cause in the log by the run's id; once it is mended, replay the run.",
  },
  model_not_configured: {
    fault: "system",
    retry: "after_fix",
    means: "The server that works on the run has no such model in its settings.",
    remedy: "The operator sets what `detail` names on every node; then replay the run.",
  },
  model_unavailable: {
    fault: "system",
    retry: "later",
    means: "The model's server was busy, away or answered nothing that can be read, several times in a row.",
    remedy: "Replay the run later. What was done before stays done.",
  },
  model_refused: {
    fault: "account",
    retry: "after_fix",
    means: "The model's server does not take the request: a wrong key, an unknown model, a conversation too long.",
    remedy: "Correct what `detail` names: the agent's `model`, or the key in the settings.",
  },
  turns_used_up: {
    fault: "caller",
    retry: "after_fix",
    means: "The model has had as many turns as the agent allows, and is not done.",
    remedy: "Read in the steps what it went round in; make the instructions clearer, or raise `max_turns`.",
  },
  tokens_used_up: {
    fault: "caller",
    retry: "after_fix",
    means: "The run has used as many tokens as the agent allows.",
    remedy: "Have it ask for less at a time, or raise `max_tokens`.",
  },
  time_used_up: {
    fault: "caller",
    retry: "after_fix",
    means: "The run has taken as long as the agent allows; the time that people took does not count.",
    remedy: "Start it again, or raise `max_minutes`.",
  },
  response_too_large: {
    fault: "caller",
    retry: "after_fix",
    means: "The answer is larger than a step takes, or what the steps of the run gave so far is more than a run keeps.",
    remedy: "Ask for fewer fields or rows, or page through it.",
  },
} as const satisfies Record<string, { fault: Fault; retry: Retry; means: string; remedy: string }>;

export type Fault = "caller" | "account" | "system" | "policy";
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
  /** The affected parts of the input, as JSON Pointers. */
  errors?: { pointer: string; detail: string }[];
}
