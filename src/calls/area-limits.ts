import type { Area, Operation } from "./define.ts";
import type { PolicyName } from "./rate-limits.ts";

/** What an area allows its callers. The table is complete: an area without an entry does not compile. */
interface AreaLimits {
  /** "Only changes of projects, people and organizations count as `write`." */
  changesCountAs: "write" | "default";
  /** "Body over 64 KiB on projects, auth, organizations; over 4 MiB on steps, tools, agents, webhooks and SCIM." */
  bodyBytesMax: number;
}

const kiB = 1024;
const miB = 1024 * kiB;
const ofAccess: AreaLimits = { changesCountAs: "write", bodyBytesMax: 64 * kiB };
const small: AreaLimits = { changesCountAs: "default", bodyBytesMax: 64 * kiB };
const large: AreaLimits = { changesCountAs: "default", bodyBytesMax: 4 * miB };

const areaLimits: Record<Area, AreaLimits> = {
  projects: ofAccess,
  invites: ofAccess,
  users: ofAccess,
  keys: ofAccess,
  sessions: ofAccess,
  sign_in: ofAccess,
  service_users: ofAccess,
  organizations: ofAccess,
  single_sign_on: small,
  directory: small,
  audit: small,
  systems: small,
  connections: small,
  limits: small,
  sandboxes: small,
  events: small,
  steps: large,
  tools: large,
  schedules: large,
  runs: large,
  agents: large,
  webhooks: large,
};

export const bodyBytesMaxOf = ({ area, bodyBytesMax }: Operation): number =>
  bodyBytesMax ?? areaLimits[area].bodyBytesMax;

const readPolicies: readonly PolicyName[] = ["default"];
const writePolicies: readonly PolicyName[] = ["default", "write"];
const runPolicies: readonly PolicyName[] = ["default", "run"];

/** The rate limits that a call of this operation counts against. */
export function policiesOf({ area, audit, countsAs }: Operation): readonly PolicyName[] {
  if (countsAs === "run") return runPolicies;
  return audit !== null && areaLimits[area].changesCountAs === "write" ? writePolicies : readPolicies;
}
