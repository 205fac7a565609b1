import { auditOperations } from "./audit.ts";
import { connectionOperations } from "./connections.ts";
import type { Operation } from "./define.ts";
import { inviteOperations } from "./invites.ts";
import { keyOperations } from "./keys.ts";
import { limitOperations } from "./limits.ts";
import { organizationOperations } from "./organizations.ts";
import { projectOperations } from "./projects.ts";
import { runOperations } from "./runs.ts";
import { stepOperations } from "./steps.ts";
import { systemOperations } from "./systems.ts";
import { userOperations } from "./users.ts";
import { webhookOperations } from "./webhooks.ts";

/** Everything the world may ask, in the order in which the reference shows it. */
export const operations: Operation[] = [
  ...projectOperations,
  ...inviteOperations,
  ...userOperations,
  ...keyOperations,
  ...organizationOperations,
  ...systemOperations,
  ...connectionOperations,
  ...stepOperations,
  ...runOperations,
  ...limitOperations,
  ...webhookOperations,
  ...auditOperations,
];
