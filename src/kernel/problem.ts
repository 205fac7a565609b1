/**
 * Every way a call can be refused. A code is a promise to callers: it never changes its meaning.
 * `means` is the general sentence (docs/errors.md is written from it); a thrown Problem carries the particular one.
 */
export const problems = {
  malformed_request: {
    status: 400,
    title: "Malformed request",
    means: "The body is not a JSON object of the documented shape, or a header is ambiguous.",
    remedy: "Send a JSON object whose members have the documented types; `errors` points at each that does not fit.",
  },
  validation_failed: {
    status: 422,
    title: "Validation failed",
    means: "The request has the right shape, but a value in it is not acceptable.",
    remedy: "Correct the values that `errors` points at.",
  },
  credentials_missing: {
    status: 401,
    title: "Credentials missing",
    means: "The call carries no Authorization header.",
    remedy: "Send `Authorization: Bearer <project_id>:<api_key>`, or `Bearer :<api_key>` where no project is needed.",
  },
  credentials_invalid: {
    status: 401,
    title: "Credentials invalid",
    means: "The Authorization header does not hold an API key known here.",
    remedy: "Check the key for missing characters, or create a new one.",
  },
  key_expired: {
    status: 401,
    title: "Key expired",
    means: "The API key is genuine, and its expiry has passed.",
    remedy: "Create a new key with `auth/keys/create`.",
  },
  key_revoked: {
    status: 401,
    title: "Key revoked",
    means: "The API key is genuine, and was revoked.",
    remedy: "Create a new key with `auth/keys/create`.",
  },
  owner_deactivated: {
    status: 401,
    title: "Owner deactivated",
    means: "The API key is genuine, and was switched off when its owner was deactivated.",
    remedy:
      "Ask the organization's owner to reactivate the person and to enable the key, or use another account's key.",
  },
  key_restricted: {
    status: 403,
    title: "Key restricted",
    means: "The API key is limited to some projects or to a role, and this operation concerns the whole account.",
    remedy: "Use a key without `project_ids` and `max_role`.",
  },
  project_required: {
    status: 400,
    title: "Project required",
    means: "The operation concerns a project, and the Authorization header names none.",
    remedy: "Put the project id before the colon: `Authorization: Bearer <project_id>:<api_key>`.",
  },
  project_not_found: {
    status: 404,
    title: "Project not found",
    means: "No project with this id is visible to the caller.",
    remedy: "List the projects you can reach with `projects/list`.",
  },
  organization_not_found: {
    status: 404,
    title: "Organization not found",
    means: "No organization with this id is visible to the caller.",
    remedy: "`organizations/list` answers the organization of your account.",
  },
  user_not_found: {
    status: 404,
    title: "User not found",
    means: "No person with this id is in the project.",
    remedy: "List the people of the project with `auth/users/list`.",
  },
  invite_not_found: {
    status: 404,
    title: "Invite not found",
    means: "No invite has this code in the project, or it is not for the caller.",
    remedy:
      "List the invites of the project with `auth/invite/list`. After a delete, this answer means that it is gone.",
  },
  key_not_found: {
    status: 404,
    title: "Key not found",
    means: "The account has no key with this id.",
    remedy: "List your keys with `auth/keys/list`.",
  },
  step_not_found: {
    status: 404,
    title: "Step not found",
    means: "There is no step with this id.",
    remedy: "List the steps with `steps/list`, or look for one with `steps/search`.",
  },
  run_not_found: {
    status: 404,
    title: "Run not found",
    means: "The project has no run with this id.",
    remedy: "List the runs of the project with `runs/list`.",
  },
  run_not_waiting: {
    status: 409,
    title: "Run not waiting",
    means: "The run does not wait for anyone to say what happened.",
    remedy: "Read it with `runs/{run_id}/get`.",
  },
  tool_not_found: {
    status: 404,
    title: "Tool not found",
    means: "The project has no tool with this id.",
    remedy: "List the tools of the project with `tools/list`.",
  },
  tool_version_not_found: {
    status: 404,
    title: "Tool version not found",
    means: "The tool was never published under this version.",
    remedy: "List its versions with `tools/{tool_id}/versions`.",
  },
  tool_changed: {
    status: 409,
    title: "Tool changed",
    means: "Someone has changed the tool since the `revision` that the call names. Nothing was changed.",
    remedy: "Read it with `tools/{tool_id}/get`, put your change onto that, and name its `revision`.",
  },
  schedule_not_found: {
    status: 404,
    title: "Schedule not found",
    means: "The project has no schedule with this id.",
    remedy: "List the schedules of the project with `schedules/list`.",
  },
  connection_not_found: {
    status: 404,
    title: "Connection not found",
    means: "The project has no connection with this id.",
    remedy: "List the project's connections with `connections/list`.",
  },
  connect_not_found: {
    status: 404,
    title: "Connect not found",
    means: "No sign-in with this `connect_id` was begun in the project, or it was long ago.",
    remedy: "Begin again with `connections/connect`.",
  },
  connection_removed: {
    status: 409,
    title: "Connection removed",
    means: "The connection was removed, and its credentials are destroyed.",
    remedy: "`connections/connect` with its `connection_id` brings it back under the same id.",
  },
  authentication_failed: {
    status: 422,
    title: "Authentication failed",
    means:
      "The account could not be signed in at its system, and nothing was saved. `reason` is `invalid_credentials`, `missing_permissions`, `wrong_endpoint` or `unreachable`.",
    remedy: "Mend what `reason` names, then connect again.",
  },
  sign_in_not_configured: {
    status: 409,
    title: "Sign-in not configured",
    means: "This region has no OAuth client at the system, so no consent page can be shown.",
    remedy: "Connect with `credentials`, or let the operator set the client's id and secret.",
  },
  run_ended: {
    status: 409,
    title: "Run ended",
    means: "The run has ended already, or is a step that cannot be stopped on its way.",
    remedy: "Read it with `runs/{run_id}/get`. What was sent is not called back.",
  },
  run_not_repeatable: {
    status: 409,
    title: "Run not repeatable",
    means: "A step that was run by itself is not kept whole, so it cannot be sent again from its record.",
    remedy: "Say `did_not`, then run the step again.",
  },
  options_unavailable: {
    status: 502,
    title: "Options unavailable",
    means: "The system did not answer with values to choose from; `problem` says why, as a run would.",
    remedy: "Do what `problem.remedy` says, or type the value by hand.",
  },
  webhook_not_found: {
    status: 404,
    title: "Webhook not found",
    means: "The project has no webhook with this id.",
    remedy: "List the project's webhooks with `webhooks/list`.",
  },
  webhook_disabled: {
    status: 409,
    title: "Webhook disabled",
    means: "The webhook is disabled, so nothing is sent to its address; `status_reason` in its record says why.",
    remedy: "Enable it with `webhooks/{webhook_id}/update`, then replay what was missed.",
  },
  too_many_webhooks: {
    status: 409,
    title: "Too many webhooks",
    means: "The project has as many webhooks as a project can have.",
    remedy: "Delete one that is no longer needed, or let one address hear more events.",
  },
  delivery_not_found: {
    status: 404,
    title: "Delivery not found",
    means: "The webhook has no delivery with this id. They are kept for 30 days.",
    remedy: "List them with `webhooks/{webhook_id}/deliveries`.",
  },
  agent_not_found: {
    status: 404,
    title: "Agent not found",
    means: "The project has no agent with this id, or an event was sent to an address that no agent has.",
    remedy:
      "List the project's agents with `agents/list`, or read an agent's address with `agents/{agent_id}/webhook`.",
  },
  event_not_found: {
    status: 404,
    title: "Event not found",
    means: "The project has no event with this id. They are kept for 30 days.",
    remedy: "List the events with `events/list`.",
  },
  signature_invalid: {
    status: 401,
    title: "Signature invalid",
    means: "The event carries no signature, or one that fits none of the agent's secrets. Nothing was kept.",
    remedy:
      "Sign the bytes of the body: `x-vercel-signature` is their HMAC-SHA1 in hex. Give the agent the sender's secret with `webhook_secrets`.",
  },
  event_queue_full: {
    status: 503,
    title: "Event queue full",
    means: "The agent is paused, and as many events wait as can wait. This one was not kept.",
    remedy: "Send it again after `Retry-After` seconds, or resume the agent with `agents/{agent_id}/resume`.",
  },
  editor_required: {
    status: 403,
    title: "Editor required",
    means: "The operation needs the editor role in the project.",
    remedy: "Ask an admin of the project to change your role.",
  },
  admin_required: {
    status: 403,
    title: "Admin required",
    means: "The operation needs the admin role in the project.",
    remedy: "Ask an admin of the project to do it, or to change your role.",
  },
  owner_required: {
    status: 403,
    title: "Owner required",
    means: "The operation is for the owner of the organization.",
    remedy: "Ask the organization's owner.",
  },
  wrong_region: {
    status: 421,
    title: "Wrong region",
    means: "The key or an id in the call belongs to another region. Nothing was done here.",
    remedy: "Send the same call to `base_url`.",
  },
  invite_already_pending: {
    status: 409,
    title: "Invite already pending",
    means: "This address already has an open invite to the project.",
    remedy: "The roles of an invite cannot be edited: delete `invite_code` and create a new one.",
  },
  invite_already_accepted: {
    status: 409,
    title: "Invite already accepted",
    means: "The invite was accepted, so the person is in the project already.",
    remedy: "To withdraw access, remove `user_id` with `auth/users/{user_id}/delete`.",
  },
  invite_expired: {
    status: 410,
    title: "Invite expired",
    means: "The invite was not accepted in time.",
    remedy: "Ask an admin of the project to send it again with `auth/invite/resend`.",
  },
  already_member: {
    status: 409,
    title: "Already a member",
    means: "The person is in the project already; an invite never changes a role.",
    remedy: "Change the role of `user_id` with `auth/users/{user_id}/update`.",
  },
  user_deactivated: {
    status: 409,
    title: "User deactivated",
    means: "This person of the organization is deactivated and cannot be invited.",
    remedy: "Reactivate the person first, at the identity provider or with `signalbox users reactivate`.",
  },
  key_already_revoked: {
    status: 409,
    title: "Key already revoked",
    means: "The key was revoked before; it opens nothing.",
    remedy: "Nothing is left to do.",
  },
  last_admin: {
    status: 409,
    title: "Last admin",
    means: "The change would leave the project without an active admin.",
    remedy: "Make another person admin first.",
  },
  email_taken: {
    status: 409,
    title: "E-mail taken",
    means: "The organization already has an account with this address.",
    remedy: "Use the existing account.",
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    means: "The path exists, and takes only the methods of the Allow header.",
    remedy: "Every operation is a POST.",
  },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type",
    means: "The body is not declared as JSON.",
    remedy: "Send `Content-Type: application/json`.",
  },
  payload_too_large: {
    status: 413,
    title: "Payload too large",
    means: "The body is larger than the operation takes.",
    remedy: "Send less at a time.",
  },
  request_timeout: {
    status: 408,
    title: "Request timeout",
    means: "The request did not arrive whole in time.",
    remedy: "Send it again on a new connection, without pauses.",
  },
  headers_too_large: {
    status: 431,
    title: "Headers too large",
    means: "The headers of the request are larger than 16 KiB.",
    remedy: "Send fewer and shorter headers.",
  },
  rate_limited: {
    status: 429,
    title: "Rate limited",
    means: "A limit is used up.",
    remedy: "Wait as many seconds as `Retry-After` says.",
  },
  idempotency_key_invalid: {
    status: 400,
    title: "Idempotency key invalid",
    means: "The Idempotency-Key header is empty, longer than 255 characters, or sent twice.",
    remedy: "Send one string of 1 to 255 visible characters.",
  },
  idempotency_mismatch: {
    status: 422,
    title: "Idempotency mismatch",
    means: "This Idempotency-Key was used before with another body.",
    remedy: "Use a new key for a new request.",
  },
  idempotency_in_progress: {
    status: 409,
    title: "Idempotency in progress",
    means: "A call with this Idempotency-Key is still running.",
    remedy: "Ask again in a moment: the answer of the first call will be repeated.",
  },
  idempotency_answer_gone: {
    status: 409,
    title: "Idempotency answer gone",
    means:
      "The first call with this Idempotency-Key succeeded; its answer held a secret and is kept for one hour only.",
    remedy: "The effect stands. To have a secret again, make a new key.",
  },
  route_not_found: {
    status: 404,
    title: "Route not found",
    means: "There is nothing at this path.",
    remedy: "`/latest/documentation` lists every operation.",
  },
  not_available: {
    status: 501,
    title: "Not available",
    means: "Deleting a project through the API is in development.",
    remedy: "Remove its people and leave the project empty.",
  },
  unavailable: {
    status: 503,
    title: "Unavailable",
    means: "The store cannot be reached right now.",
    remedy:
      "Try again after `Retry-After` seconds; with an `Idempotency-Key` a change whose answer was lost is not made twice.",
  },
  storage_full: {
    status: 507,
    title: "Storage full",
    means: "The disk of the store is full. Nothing was changed; reading still works.",
    remedy: "The operator frees space in the data folder; no restart is needed.",
  },
  internal: {
    status: 500,
    title: "Internal error",
    means: "Something unforeseen happened; the log holds the cause under the request id.",
    remedy: "Report the request id to the operator.",
  },
} as const satisfies Record<string, { status: number; title: string; means: string; remedy: string }>;

export type ProblemCode = keyof typeof problems;

/** One member of `errors`: a JSON Pointer to the value, a code, and a sentence. */
export interface FieldError {
  pointer: string;
  code: string;
  detail: string;
}

export interface ProblemExtras {
  /** Members added to the problem body, such as `invite_code`. */
  more?: Record<string, unknown>;
  errors?: FieldError[];
  headers?: Record<string, string>;
  cause?: unknown;
}

export class Problem extends Error {
  readonly code: ProblemCode;
  readonly extras: ProblemExtras;

  constructor(code: ProblemCode, detail: string = problems[code].means, extras: ProblemExtras = {}) {
    super(detail, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = "Problem";
    this.code = code;
    this.extras = extras;
  }

  get status(): number {
    return problems[this.code].status;
  }
}
