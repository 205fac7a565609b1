import type { Catalogue } from "./catalogue.ts";

/** Connected accounts, steps, tools and their runs. */
export const stepProblems = {
  connection_not_found: {
    status: 404,
    title: "Connection not found",
    means: "The project has no connection with this id.",
    remedy: "List the project's connections with `connections/list`.",
  },
  connect_not_found: {
    status: 404,
    title: "Connect not found",
    means: "The project has no sign-in with this `connect_id`, or it has expired.",
    remedy: "Start again with `connections/connect`.",
  },
  connection_removed: {
    status: 409,
    title: "Connection removed",
    means: "The connection was removed, and its credentials were destroyed.",
    remedy: "`connections/connect` with its `connection_id` restores it under the same id.",
  },
  authentication_failed: {
    status: 422,
    title: "Authentication failed",
    means:
      "The external system refused the sign-in, and Signalbox saved nothing. `reason` is `invalid_credentials`, `missing_permissions` or `wrong_endpoint`.",
    remedy: "Fix what `reason` names, then connect again.",
  },
  system_unavailable: {
    status: 502,
    title: "System unavailable",
    means:
      "The external system could not be reached, or returned an error of its own, so nobody knows whether the credentials are right. Nothing was saved. `reason` is `unreachable`.",
    remedy: "Try again later with the same credentials.",
  },
  sign_in_not_configured: {
    status: 409,
    title: "Sign-in not configured",
    means: "This region has no OAuth client at the system, so it cannot show a consent page.",
    remedy: "Connect with `credentials`, or ask the operator to set the client's id and secret.",
  },
  step_not_found: {
    status: 404,
    title: "Step not found",
    means: "There is no step with this id.",
    remedy: "List the steps with `steps/list`, or look for one with `steps/search`.",
  },
  options_unavailable: {
    status: 502,
    title: "Options unavailable",
    means: "The system returned no values to choose from. `problem` says why.",
    remedy: "Follow `problem.remedy`, or type the value.",
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
    remedy: "Read the tool with `tools/{tool_id}/get`, apply your change to it, and send its `revision`.",
  },
  schedule_not_found: {
    status: 404,
    title: "Schedule not found",
    means: "The project has no schedule with this id.",
    remedy: "List the schedules of the project with `schedules/list`.",
  },
  schedule_changed: {
    status: 409,
    title: "Schedule changed",
    means: "Someone has changed the schedule since the `if_updated_at` that the call names. Nothing was changed.",
    remedy: "Read it with `schedules/list`, apply your change to it, and send its `updated_at` as `if_updated_at`.",
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
    means: "The run does not wait for a person.",
    remedy: "Read it with `runs/{run_id}/get`.",
  },
  run_ended: {
    status: 409,
    title: "Run ended",
    means: "The run has already ended, or is a single step that can no longer be stopped.",
    remedy: "Read it with `runs/{run_id}/get`. Requests that were sent are not undone.",
  },
  run_not_repeatable: {
    status: 409,
    title: "Run not repeatable",
    means:
      "The step's input contained a secret. Secrets are not stored, so the step cannot be sent again from its record.",
    remedy: "Resolve the run with `did_not`, then run the step again.",
  },
  sandboxes_not_own: {
    status: 409,
    title: "No sandboxes of its own",
    means: "This server runs no sandboxes of its own, so it does not control any.",
    remedy: "Start it with `SIGNALBOX_SANDBOXES=own`, or call the sandbox's own control address.",
  },
  sandbox_unreachable: {
    status: 503,
    title: "Sandbox unreachable",
    means: "The sandbox does not respond.",
    remedy: "Try again. If it has ended, restart the server.",
  },
  fault_not_found: {
    status: 404,
    title: "Fault not found",
    means: "The sandbox has no pending fault with this id. It may have applied to all its calls already.",
    remedy: "List the faults with `sandboxes/list`.",
  },
} as const satisfies Catalogue;
