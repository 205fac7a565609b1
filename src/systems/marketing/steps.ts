import type { Step } from "../define.ts";
import { marketingApiCall } from "./steps/marketing-api-call.ts";

/** A new step is a file and a line here. */
export const marketingSteps = [marketingApiCall] as const satisfies readonly Step[];
