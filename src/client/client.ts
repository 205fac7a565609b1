/** The typed client: `import { Signalbox } from "signalbox/client"`. It needs nothing but `fetch`. */

export type {
  DryRun,
  Listed,
  Page,
  StepCall,
  StepId,
  StepInput,
  StepOutput,
  StepRead,
  StepRun,
} from "./method-types.ts";
export type { CallOptions, SignalboxOptions } from "./options.ts";
export { type FieldMistake, type ProblemCode, SignalboxProblem } from "./problem.ts";
export { Signalbox } from "./signalbox.ts";
export type { InputOf, OutputOf, Path, RecordOf } from "./wire.ts";
