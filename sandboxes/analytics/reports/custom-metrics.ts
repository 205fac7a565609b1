import { euroRatio, euros, eventsNamed, first, type Metric, sumOf } from "./metric.ts";
import { metricFields as fields } from "./metric-table.ts";

/** The property's own metric: the value of a lead, as a sum, a mean and a count. */
const lead = sumOf("cents", "generate_lead");
const leads = eventsNamed("generate_lead");
export const customMetrics: Metric[] = fields(
  "Custom",
  [
    ["customEvent:lead_score", "Lead score", "STANDARD", "Scores of leads, added up.", [lead], euros],
    [
      "averageCustomEvent:lead_score",
      "Average lead score",
      "STANDARD",
      "Mean score of a lead.",
      [lead, leads],
      euroRatio,
    ],
    ["countCustomEvent:lead_score", "Count of lead score", "INTEGER", "Leads with a score.", [leads], first],
  ],
  { isCustom: true },
);
