import { type StepProblem, stepProblem } from "../../systems/problems.ts";
import type { RunHand } from "./ports.ts";

/** Said before anything is sent: what the steps before it did stays as it is recorded. */
export const keepsTooMuch = ({ ports }: Pick<RunHand, "ports">): StepProblem =>
  stepProblem(
    "response_too_large",
    `What the steps of this run gave so far is more than a run keeps, which is ${inWords(ports.memory.sizes.runMax)}. Nothing was sent for this one. Ask for fewer fields, smaller pages or fewer items of a foreach, or divide the work among several runs.`,
  );

const inWords = (weight: number): string =>
  weight >= 1024 * 1024 ? `${Math.floor(weight / 1024 / 1024)} MiB` : `${weight} bytes`;
