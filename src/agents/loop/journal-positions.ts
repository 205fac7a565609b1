import type { StepRecord } from "../../runs/journal/journal.ts";
import { wholeStep } from "../../runs/journal/new-record.ts";
import type { RunContext } from "../../runs/outcome/ports.ts";

/** The records of an agent's run in the journal: turns of the model and calls, one after the other. */

/** In place of a step's id. */
export const modelStep = "model";
export const toolStep = "tool";

/**
 * Every call takes two positions, whether a person is asked or not. So the position of a turn depends only on the turns
 * before it, and a worker that takes the run over finds every record.
 */
export const positionsPerCall = 2;

/** No call of an agent is repeated for a list. */
export const findRecord = ({ journal }: RunContext, position: number): StepRecord | undefined =>
  journal.find(position, wholeStep);
