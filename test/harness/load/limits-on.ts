import { defaultPolicies } from "../../../src/calls/rate-limits/default-quotas.ts";

/**
 * Nodes of the tests have no rate limits. With these they count every call, together, in the database that the harness disturbs; the
 * quotas are so high that the load is never refused.
 */
export const limitsOn = {
  SIGNALBOX_RATE_LIMITS: Object.keys(defaultPolicies)
    .map((name) => `${name}=100000/60`)
    .join(","),
};
