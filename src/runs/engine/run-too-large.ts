import { type StepProblem, stepProblem } from "../../systems/step-problems.ts";
import type { RunContext } from "../outcome/ports.ts";

/** The step fails before anything is sent. Earlier steps keep their records. */
export const runTooLarge = ({ ports }: Pick<RunContext, "ports">): StepProblem =>
  stepProblem(
    "response_too_large",
    `What the steps of this run gave so far is more than a run keeps, which is ${inWords(ports.memory.sizes.runMax)}. Nothing was sent for this one. Ask for fewer fields, smaller pages or fewer items of a foreach, or divide the work among several runs.`,
  );

const inWords = (weight: number): string =>
  weight >= 1024 * 1024 ? `${Math.floor(weight / 1024 / 1024)} MiB` : `${weight} bytes`;
