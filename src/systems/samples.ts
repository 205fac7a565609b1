import { runReports } from "./analytics/steps/run-reports.ts";
import { analytics } from "./analytics/system.ts";
import { deploymentSamples } from "./deployment/samples.ts";

/** What the examples of the reference and of help texts show: mostly one system, so that they fit each other. */
export const samples = {
  ...deploymentSamples,
  /** A step to read about. */
  described: runReports.id,
  /** What a person types to find steps. */
  search: analytics.title.toLowerCase(),
};
