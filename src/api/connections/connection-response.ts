import * as z from "zod";
import { anyObject } from "../../kernel/any-object.ts";
import { systemIds, systems } from "../../systems/index.ts";
import type { Connection } from "../../vault/vault.ts";
import { idField, labelField, timeField } from "../shared-fields.ts";

/** A connected account on the wire. Nothing in it is a secret. */

export const connectionId = idField.meta({ description: "The connected account" });

const systemField = z.enum(systemIds).meta({ description: "Which system" });

const countField = z.int().min(1).max(10_000_000).nullish();

export const settingsField = z
  .strictObject({
    daily_quota: countField.meta({
      description:
        "Calls a day that the subscription allows; an admin sets it. Without it, 10,000 are assumed, and only the system itself refuses more",
    }),
    burst_calls: countField.meta({ description: "Calls in 20 seconds; 100 unless set" }),
    concurrent_calls: countField.meta({ description: "Calls at the same time; 10 unless set" }),
  })
  .meta({ description: "The account's limits at its system; null restores the default" });

export const connectInput = z.object({
  system: systemField,
  instance: z
    .string()
    .min(1)
    .max(500)
    .meta({ description: "`live`, `sandbox`, or an https address of its own, which an admin must allow" }),
  label: labelField
    .min(1)
    .optional()
    .meta({ description: "A name for it; default: the identity that the system reports" }),
  credentials: anyObject()
    .optional()
    .meta({
      description: `${systems.map(({ id, signIn }) => `${id}: ${signIn.credentials.members}.`).join(" ")} Never returned, never logged`,
    }),
  connection_id: idField.optional().meta({ description: "Reconnects this one: it keeps its id" }),
  settings: settingsField.optional(),
});
const identityField = z
  .looseObject({ label: z.string().meta({ description: "One line that distinguishes it from others" }) })
  .meta({
    description: "Whose account it is, as its system reported: instance, team and user, e-mail, accessible properties",
  });

export const connectionRecord = z.object({
  connection_id: z.string(),
  project_id: z.string(),
  system: systemField,
  instance: z.string(),
  addresses: z.record(z.string(), z.string()),
  label: z.string(),
  state: z
    .enum(["connected", "needs_reconnect", "removed"])
    .meta({ description: "Whether it can be used; `connections/connect` with its id restores it" }),
  state_reason: z.string().nullable().meta({ description: "Why it cannot be used" }),
  identity: identityField,
  access_level: z.enum(["viewer", "editor", "administrator"]).nullable(),
  scopes: z.array(z.string()).meta({ description: "The granted scopes, by the system's names" }),
  way_in: z.string().meta({ description: "How it was connected" }),
  health: z
    .object({
      ok: z.boolean().nullable(),
      reason: z.string().nullable(),
      checked_at: timeField.nullable(),
      next_check_at: timeField.nullable(),
    })
    .meta({ description: "The result of the last check, and when the next one is due" }),
  policy: z.unknown().meta({ description: "Which requests it may be used for; null allows all" }),
  settings: z.record(z.string(), z.number()).meta({ description: "Its limits that differ from the default" }),
  created_at: timeField,
  created_by: z.string().nullable(),
});
z.globalRegistry.add(connectionRecord, { id: "Connection" });

export const toRecord = (connection: Connection): z.input<typeof connectionRecord> => ({
  connection_id: connection.id,
  project_id: connection.projectId,
  system: connection.system,
  instance: connection.instance,
  addresses: { ...connection.addresses },
  label: connection.label,
  state: connection.state,
  state_reason: connection.stateReason,
  identity: { ...connection.identity },
  access_level: connection.accessLevel,
  scopes: connection.scopes,
  way_in: connection.signInMethod,
  health: {
    ok: connection.health.ok,
    reason: connection.health.reason,
    checked_at: connection.health.checkedAt,
    next_check_at: connection.health.nextCheckAt,
  },
  policy: connection.policy,
  settings: { ...connection.settings },
  created_at: connection.createdAt,
  created_by: connection.createdBy,
});
