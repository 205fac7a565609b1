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
  step_not_found: {
    status: 404,
    title: "Step not found",
    means: "There is no step with this id.",
    remedy: "List the steps with `steps/list`, or look for one with `steps/search`.",
  },
  options_unavailable: {
    status: 502,
    title: "Options unavailable",
    means: "The system did not answer with values to choose from; `problem` says why, as a run would.",
    remedy: "Do what `problem.remedy` says, or type the value by hand.",
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
  run_ended: {
    status: 409,
    title: "Run ended",
    means: "The run has ended already, or is a step that cannot be stopped on its way.",
    remedy: "Read it with `runs/{run_id}/get`. What was sent is not called back.",
  },
  run_not_repeatable: {
    status: 409,
    title: "Run not repeatable",
    means: "The step was called with a secret, which is kept nowhere, so it cannot be sent again from its record.",
    remedy: "Say `did_not`, then run the step again.",
  },
} as const satisfies Catalogue;
