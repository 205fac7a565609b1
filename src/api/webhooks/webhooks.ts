import * as z from "zod";
import { isRestricted, projectOf, type Scope } from "../../access/scope.ts";
import { operation } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import { deleteDeliveriesOf } from "../../webhooks/delivery-jobs.ts";
import { subscribable } from "../../webhooks/event-types.ts";
import {
  createWebhook,
  editWebhook,
  listWebhooks,
  type OutgoingWebhook,
  removeWebhook,
  requireWebhook,
  rotateSecret,
} from "../../webhooks/webhooks.ts";
import { descriptionField, idField, timeField } from "../shared-fields.ts";

export const webhookId = idField.meta({ description: "The webhook" });
const urlField = z.string().min(1).max(2000).meta({
  description: "An https address that accepts a POST and responds with 2xx within 15 seconds",
});
const eventsField = z
  .array(z.enum(subscribable))
  .min(1)
  .max(100)
  .meta({ description: "The events that it receives; `*` is all events, also those added later" });
export const statusField = z.enum(["enabled", "disabled"]).meta({ description: "Disabled ones receive nothing" });

const webhookRecord = z.object({
  webhook_id: z.string(),
  project_id: z.string(),
  whole_organization: z.boolean(),
  url: z.string(),
  description: z.string(),
  events: z.array(z.string()),
  status: statusField,
  status_reason: z.string().nullable(),
  created_by: z.string(),
  created_at: timeField,
  updated_at: timeField,
});
z.globalRegistry.add(webhookRecord, { id: "Webhook" });

const toRecord = (webhook: OutgoingWebhook): z.input<typeof webhookRecord> => ({
  webhook_id: webhook.id,
  project_id: webhook.projectId,
  whole_organization: webhook.wholeOrganization,
  url: webhook.url,
  description: webhook.description,
  events: webhook.events,
  status: webhook.status,
  status_reason: webhook.statusReason,
  created_by: webhook.createdBy,
  created_at: webhook.createdAt,
  updated_at: webhook.updatedAt,
});

const secretField = z.string().meta({ description: "Verifies the signatures (Standard Webhooks); shown only once" });
const overlapSecondsDefault = 86_400;
/** Only the organization's owner may change its webhooks. */
export const ofOrganization = ["owner_required", "key_restricted"] as const;

const newWebhook = webhookRecord.extend({ webhook_secret: secretField });
z.globalRegistry.add(newWebhook, { id: "NewWebhook" });

export const webhookOperations = [
  operation({
    path: "/latest/webhooks/create",
    area: "webhooks",
    summary: "Send events to an address",
    description:
      "Events are sent as Standard Webhooks: `webhook-id`, `webhook-timestamp` and `webhook-signature`, an HMAC-SHA256 over both and the body. A delivery without a 2xx response is attempted ten times over three days. A webhook whose address accepted nothing in that time, or responds with 410, is disabled.",
    needs: "project admin",
    audit: "webhook.created",
    answersSecret: true,
    refuses: ["too_many_webhooks", ...ofOrganization],
    input: z.object({
      url: urlField,
      events: eventsField.default(["*"]),
      description: descriptionField.default(""),
      whole_organization: z.boolean().default(false).meta({
        description: "Receives the events of every project and of the organization itself; requires its owner",
      }),
    }),
    output: newWebhook,
    example: { url: "https://example.com/hooks/signalbox", events: ["run.failed", "connection.needs_reconnect"] },
    async run(scope, input, { webhooks }) {
      const { whole_organization: wholeOrganization, ...wanted } = input;
      const { webhook, secret } = await createWebhook(scope, { ...wanted, wholeOrganization }, webhooks);
      return { ...toRecord(webhook), webhook_secret: secret };
    },
    auditOf: ({ url, events }, output) => ({ target: output.webhook_id, details: { origin: originOf(url), events } }),
  }),
  operation({
    path: "/latest/webhooks/list",
    area: "webhooks",
    summary: "List the project's webhooks",
    needs: "project admin",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(webhookRecord),
    example: {},
    async run(scope, input) {
      const rows = await listWebhooks(scope.db, projectOf(scope), onePageOf(input));
      return toPage(rows, input.limit, (row) => row.id, seenBy(scope));
    },
  }),
  operation({
    path: "/latest/webhooks/{webhook_id}/get",
    area: "webhooks",
    summary: "Read one webhook",
    needs: "project admin",
    audit: null,
    refuses: ["webhook_not_found"],
    input: z.object({ webhook_id: webhookId }),
    output: webhookRecord,
    example: { webhook_id: "whk_us_…" },
    async run(scope, input) {
      return seenBy(scope)(await requireWebhook(scope.db, projectOf(scope), input.webhook_id));
    },
  }),
  operation({
    path: "/latest/webhooks/{webhook_id}/update",
    area: "webhooks",
    summary: "Change a webhook, or enable one that was disabled",
    needs: "project admin",
    audit: "webhook.updated",
    refuses: ["webhook_not_found", ...ofOrganization],
    input: z.object({
      webhook_id: webhookId,
      url: urlField.optional(),
      events: eventsField.optional(),
      description: descriptionField.optional(),
      status: statusField.optional(),
    }),
    output: webhookRecord,
    example: { webhook_id: "whk_us_…", status: "enabled" },
    async run(scope, { webhook_id: id, url, events, description, status }, { webhooks }) {
      return toRecord(await editWebhook(scope, id, { url, events, description, status }, webhooks));
    },
    auditOf: ({ webhook_id: id, url, events, status }) => ({
      target: id,
      details: { ...(url === undefined ? {} : { origin: originOf(url) }), events, status },
    }),
  }),
  operation({
    path: "/latest/webhooks/{webhook_id}/rotate_secret",
    area: "webhooks",
    summary: "Replace a webhook's secret, while the old one also signs for a while",
    description: "For `overlap_seconds` every event carries two signatures, one with each secret.",
    needs: "project admin",
    audit: "webhook.secret_rotated",
    answersSecret: true,
    refuses: ["webhook_not_found", ...ofOrganization],
    input: z.object({
      webhook_id: webhookId,
      overlap_seconds: z
        .int()
        .min(0)
        .max(2_592_000)
        .default(overlapSecondsDefault)
        .meta({ description: "How long the old secret also signs" }),
    }),
    output: z.object({
      webhook_id: z.string(),
      webhook_secret: secretField,
      old_expires_at: timeField.meta({ description: "Until when the old secret also signs" }),
    }),
    example: { webhook_id: "whk_us_…", overlap_seconds: 3600 },
    async run(scope, input, { webhooks }) {
      const { secret, oldUntil } = await rotateSecret(scope, input.webhook_id, input.overlap_seconds, webhooks);
      return { webhook_id: input.webhook_id, webhook_secret: secret, old_expires_at: oldUntil };
    },
    auditOf: (input) => ({ target: input.webhook_id, details: { overlap_seconds: input.overlap_seconds } }),
  }),
  operation({
    path: "/latest/webhooks/{webhook_id}/delete",
    area: "webhooks",
    summary: "Delete a webhook, its secret and its pending deliveries",
    needs: "project admin",
    audit: "webhook.deleted",
    refuses: ["webhook_not_found", ...ofOrganization],
    input: z.object({ webhook_id: webhookId }),
    output: z.object({ webhook_id: z.string(), deleted: z.literal(true) }),
    example: { webhook_id: "whk_us_…" },
    async run(scope, { webhook_id: id }, { webhooks }) {
      await removeWebhook(scope, id, deleteDeliveriesOf);
      scope.afterCommit(webhooks.deliveries.wake);
      return { webhook_id: id, deleted: true as const };
    },
    auditOf: (input) => ({ target: input.webhook_id }),
  }),
];

/** Only the organization's owner reads the full address of its webhook. Admins and restricted keys read its origin. */
const seenBy = (scope: Scope) => (webhook: OutgoingWebhook) => {
  const isHidden = webhook.wholeOrganization && !isOwner(scope);
  return { ...toRecord(webhook), ...(isHidden && { url: originOf(webhook.url) }) };
};

export const isOwner = ({ actor }: Scope): boolean => actor.organizationRole === "owner" && !isRestricted(actor);

/** Paths and queries of such addresses often contain credentials, so the audit log has the origin only. */
const originOf = (url: string): string => URL.parse(url)?.origin ?? "";
