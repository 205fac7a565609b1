import type { Catalogue } from "./catalogue.ts";

/** What can be wrong with any call. */
export const callProblems = {
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
    means: "The Authorization header does not contain a valid API key.",
    remedy: "Check the key for missing characters, or create a new one.",
  },
  key_expired: {
    status: 401,
    title: "Key expired",
    means: "The API key has expired.",
    remedy: "Create a new key with `auth/keys/create`.",
  },
  key_revoked: {
    status: 401,
    title: "Key revoked",
    means: "The API key was revoked.",
    remedy: "Create a new key with `auth/keys/create`.",
  },
  owner_deactivated: {
    status: 401,
    title: "Owner deactivated",
    means: "The API key stopped working when its owner was deactivated.",
    remedy:
      "Ask the organization's owner to reactivate the person and to enable the key, or use another account's key.",
  },
  key_restricted: {
    status: 403,
    title: "Key restricted",
    means: "The API key is limited to some projects or to a role, and this operation concerns the whole account.",
    remedy: "Use a key without `project_ids` and `max_role`.",
  },
  wrong_region: {
    status: 421,
    title: "Wrong region",
    means: "The key or an id in the call belongs to another region. Nothing was done here.",
    remedy: "Send the same call to `base_url`.",
  },
  worker_node: {
    status: 503,
    title: "Worker node",
    means: "This node runs with the role `worker`: it works on runs and serves no calls. Nothing was done.",
    remedy: "Send the call to a node with the role `api` or `all`, and take this node out of the load balancer.",
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    means: "The path exists, but not for this method. The Allow header lists the methods that it accepts.",
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
    means: "The body is larger than the operation accepts.",
    remedy: "Send less at a time.",
  },
  request_timeout: {
    status: 408,
    title: "Request timeout",
    means: "The server did not receive the whole request in time.",
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
    means: "A rate limit is exhausted.",
    remedy: "Wait for the number of seconds in `Retry-After`, then try again.",
  },
  too_many_streams: {
    status: 429,
    title: "Too many streams",
    means:
      "The account, its organization or this server has the maximum number of open streams, or the server is stopping.",
    remedy: "Close streams that are no longer used, or read without a stream; then open one again.",
  },
  compute_exhausted: {
    status: 429,
    title: "Computing time used up",
    means:
      "The organization has used up its computing time for expressions, schemas and YAML, or has too many evaluations queued.",
    remedy:
      "Wait for the number of seconds in `Retry-After`, then try again. If it happens often, simplify the slowest expressions and schemas.",
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
    remedy:
      "Repeat the call after `Retry-After` seconds. You get the response of the first call; if its server has crashed, the repeat makes the call.",
  },
  idempotency_answer_gone: {
    status: 409,
    title: "Idempotency answer gone",
    means:
      "The first call with this Idempotency-Key succeeded. Its response contained a secret, so it was stored for one hour only.",
    remedy: "The change was made. If you need the secret, create a new one.",
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
    means: "The database cannot be reached right now.",
    remedy: "Try again after `Retry-After` seconds. With the same `Idempotency-Key`, a change is never made twice.",
  },
  storage_full: {
    status: 507,
    title: "Storage full",
    means: "The database's disk is full. Nothing was changed; reads still work.",
    remedy: "Ask the operator to free space in the data folder. No restart is needed.",
  },
  internal: {
    status: 500,
    title: "Internal error",
    means: "An unexpected error occurred. The log has its cause under the request id.",
    remedy: "Report the request id to the operator.",
  },
} as const satisfies Catalogue;
