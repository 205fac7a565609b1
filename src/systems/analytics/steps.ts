import type { Step } from "../define.ts";
import { analyticsApiCall } from "./analytics-api-call.ts";
import { createKeyEvents } from "./create-key-events.ts";
import { createProperties } from "./create-properties.ts";
import { runReports } from "./run-reports.ts";

/** A new step is a file and a line here. */
export const analyticsSteps = [
  runReports,
  createKeyEvents,
  createProperties,
  analyticsApiCall,
] as const satisfies readonly Step[];
