import type { Step } from "../define.ts";
import { analyticsApiCall } from "./steps/analytics-api-call.ts";
import { createKeyEvents } from "./steps/create-key-events.ts";
import { createProperties } from "./steps/create-properties.ts";
import { runReports } from "./steps/run-reports.ts";

/** A new step is a file and a line here. */
export const analyticsSteps = [
  runReports,
  createKeyEvents,
  createProperties,
  analyticsApiCall,
] as const satisfies readonly Step[];
