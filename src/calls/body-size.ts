import type { Area, Operation } from "./define-operation.ts";

const small = 64 * 1024;
const large = 4 * 1024 * 1024;

/**
 * "Body over 64 KiB on projects, auth, organizations; over 4 MiB on steps, tools, agents, webhooks and SCIM." The table is complete: an
 * area without an entry does not compile.
 */
const bytesMaxInArea: Record<Area, number> = {
  projects: small,
  invites: small,
  users: small,
  keys: small,
  sessions: small,
  sign_in: small,
  service_users: small,
  organizations: small,
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

/** How large the body of a call may be; an operation may set its own size. */
export const bodyBytesMaxOf = ({ area, bodyBytesMax }: Operation): number => bodyBytesMax ?? bytesMaxInArea[area];
