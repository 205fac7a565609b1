import type { Area, Operation } from "../define-operation.ts";
import type { PolicyName } from "./default-quotas.ts";

/**
 * "Only changes of projects, people and organizations count as `write`." The table is complete: an area without an entry does not
 * compile.
 */
const changesCountAs: Record<Area, "write" | "default"> = {
  projects: "write",
  invites: "write",
  users: "write",
  keys: "write",
  sessions: "write",
  sign_in: "write",
  service_users: "write",
  organizations: "write",
  single_sign_on: "default",
  directory: "default",
  audit: "default",
  systems: "default",
  connections: "default",
  limits: "default",
  sandboxes: "default",
  events: "default",
  steps: "default",
  tools: "default",
  schedules: "default",
  runs: "default",
  agents: "default",
  webhooks: "default",
};

const readPolicies: readonly PolicyName[] = ["default"];
const writePolicies: readonly PolicyName[] = ["default", "write"];
const runPolicies: readonly PolicyName[] = ["default", "run"];

/** The rate limits that a call of this operation counts against. */
export function policiesOf({ area, audit, countsAs }: Operation): readonly PolicyName[] {
  if (countsAs === "run") return runPolicies;
  return audit !== null && changesCountAs[area] === "write" ? writePolicies : readPolicies;
}
