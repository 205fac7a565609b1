import * as z from "zod";
import { step } from "../../define.ts";
import { failed } from "../../fail-step.ts";
import { segment } from "../../paths.ts";
import { type Done, StepFailed, send, type Work } from "../../work.ts";
import { cancelOptions } from "../options/options.ts";
import { apiRequest } from "../protocol/api-request.ts";
import { stateOf } from "../protocol/platform-records.ts";
import { deployment } from "../system.ts";
import { isFinal } from "./fields.ts";
import { pauseFor } from "./wait-until-ready.ts";

const Output = z.object({
  deployment_id: z.string().meta({ description: "Id of the deployment" }),
  state: z.string().meta({ description: "CANCELED" }),
});

type Cancelled = Done<z.input<typeof Output>>;

export const cancelDeployment = step({
  id: "cancel_deployment",
  title: "Cancel Deployment",
  summary: "Cancels a queued or ongoing deployment.",
  forModels:
    "Stops a deployment that is QUEUED, INITIALIZING or BUILDING. One that is finished cannot be cancelled: the problem then names its real state, " +
    "and there is nothing to repeat. It does not take a live deployment off; use deployment_api_call to delete one.",
  words: ["stop", "abort", "halt", "kill build", "cancel build", "vercel"],
  system: deployment,
  effect: "update",
  needsLevel: null,
  input: z.strictObject({
    deployment_id: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .regex(/^[\w.-]+$/, "An id has letters, digits, dashes, dots and underscores: `dpl_…`.")
      .meta({ title: "Deployment", description: "Id of the deployment to cancel" }),
  }),
  output: Output,
  examples: [{ title: "Cancel one deployment", input: { deployment_id: "dpl_IFS96cZxtSWCYHUyLIISjNZETWsJ" } }],
  options: { deployment_id: cancelOptions },
  *work({ deployment_id: id }) {
    try {
      yield* send(apiRequest("PATCH", `/v12/deployments/${segment(id)}/cancel`));
    } catch (error) {
      if (error instanceof StepFailed && isAboutState(error)) return yield* explain(id, error);
      throw error;
    }
    return yield* verify(id);
  },
  *reconcile({ deployment_id: id }) {
    const state = yield* readState(id);
    if (state instanceof StepFailed) throw state;
    if (state === "CANCELED") return done(id, state, []);
    return isFinal(state) ? "cannot tell" : "did not";
  },
  cost: () => ({ calls: 2 }),
});

/** A refusal, also of a repeat whose first answer was lost. */
const isAboutState = ({ failure, answer }: StepFailed): boolean =>
  failure.code === "invalid_there" ||
  failure.code === "conflict_there" ||
  (failure.code === "outcome_unknown" && answer !== null);

/** "on any 4xx re-read the deployment and report its actual state" */
function* explain(id: string, refusal: StepFailed): Work<Cancelled> {
  const state = yield* readState(id);
  if (state instanceof StepFailed) throw refusal;
  if (state === "CANCELED") return done(id, state, ["It was cancelled before."]);
  if (state !== "BLOCKED" && !isFinal(state)) throw refusal;
  const what = state === "BLOCKED" ? "is held back by the platform (BLOCKED)" : `is finished: it is ${state}`;
  throw tooLate(`The deployment ${id} ${what}, so there is nothing to cancel.`, state, refusal);
}

const looksMax = 5;

/** "Cancelling races with completion; verify after a 200 too." */
function* verify(id: string): Work<Cancelled> {
  for (let look = 1; ; look++) {
    const state = yield* readState(id);
    if (state instanceof StepFailed) {
      return done(id, "CANCELED", [`The platform said so; its state could not be read once more: ${state.message}`]);
    }
    if (state === "CANCELED") return done(id, state, []);
    if (isFinal(state)) {
      throw tooLate(`The deployment ${id} was finished before the cancel took hold: it is ${state}.`, state, null);
    }
    const isOver = look === looksMax || !(yield* pauseFor(2, `deployment ${id}, which is being cancelled`));
    if (isOver) return done(id, state, ["The platform took the cancel and has not stopped it yet."]);
  }
}

/** A failed read does not undo an accepted cancel. */
function* readState(id: string): Work<string | StepFailed> {
  try {
    const { body } = yield* send(apiRequest("GET", `/v13/deployments/${segment(id)}`));
    return stateOf(body);
  } catch (error) {
    if (error instanceof StepFailed) return error;
    throw error;
  }
}

const done = (id: string, state: string, warnings: string[]): Cancelled => ({
  output: { deployment_id: id, state },
  warnings,
});

const tooLate = (detail: string, state: string, refusal: StepFailed | null): StepFailed =>
  new StepFailed(
    failed("conflict_there", "give up", detail, {
      systemCode: state,
      remedy: "Nothing needs to be done, or redeploy an earlier one.",
    }),
    refusal?.answer ?? null,
  );
