/** The typed client: `import { Signalbox } from "signalbox/client"`. It needs nothing but `fetch`. */

export type { CallOptions } from "./caller.ts";
export type { StepId, StepInput, StepOutput, StepRun } from "./groups.ts";
export { type FieldMistake, SignalboxProblem } from "./problem.ts";
export { Signalbox, type SignalboxOptions } from "./signalbox.ts";
export type { InputOf, OutputOf, Path } from "./wire.ts";
