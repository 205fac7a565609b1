import type { System } from "../define.ts";
import { numberedId } from "../resource-ids.ts";
import { failure } from "./failure.ts";
import { demands, reportedLimits } from "./limits/quota.ts";
import { analyticsPresentation } from "./presentation.ts";
import { pathPrefix } from "./protocol/endpoints.ts";
import { resolve, resources } from "./protocol/resources.ts";
import { analyticsSignIn } from "./sign-in/sign-in.ts";

export const analytics: System<"analytics"> = {
  id: "analytics",
  title: analyticsPresentation.title,
  vendor: "Google Analytics 4",
  inSentence: "web analytics",
  guide: { page: "google-analytics", title: "Google Analytics" },
  words: [
    "google analytics",
    "ga4",
    "ga",
    "analytics",
    "web statistics",
    "traffic",
    "visitors",
    "page views",
    "sessions",
    "conversions",
    "reports",
    "reporting",
    "metrics",
    "property",
  ],
  signIn: analyticsSignIn,
  pathPrefix,
  // The published configuration of its own clients gives every call of the Admin API a minute; this is half as much
  // again.
  settlesWithinSeconds: 90,
  worksSecondsMax: 60,
  complete: (request) => request,
  failure,
  demands,
  reportedLimits,
  policyKinds: { property: plainId, account: plainId },
  resources,
  resolve,
};

/** `properties/1000` is 1000. */
function plainId(id: string): string {
  return numberedId(id.replace(/^(?:properties|accounts)\//, ""));
}
