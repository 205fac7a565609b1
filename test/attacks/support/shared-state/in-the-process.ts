import { keptBelowCalls } from "./below-calls.ts";
import { keptInCalls } from "./in-calls.ts";
import { type KeptInFiles, together } from "./keyed.ts";
import { keptAsNumbers } from "./numbers.ts";
import { keptAsStages } from "./stages.ts";

/** Everything in the process that outlives a call, by file. `npm test -- test/attacks/shared-state` says what is missing. */
export const keptInTheProcess: KeptInFiles = together(keptInCalls, keptBelowCalls, keptAsStages, keptAsNumbers);
