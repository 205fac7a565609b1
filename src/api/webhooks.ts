import * as z from "zod";
import { projectOf } from "../access/scope.ts";
import { type Delivery, deleteDeliveriesOf, listDeliveries, replayDeliveries } from "../webhooks/deliveries.ts";
import { subscribable } from "../webhooks/event-types.ts";
import { sendTest } from "../webhooks/send-test.ts";
import {
  createWebhook,
  editWebhook,
  listWebhooks,
  type OutgoingWebhook,
  removeWebhook,
  requireOwnWebhook,
  requireWebhook,
  rotateSecret,
} from "../webhooks/webhooks.ts";
import { onePageOf, operation, outsideOperation, pageInput, pageOutput, toPage } from "./define.ts";
import { descriptionField, idField, timeField } from "./fields.ts";

const webhookId = idField.meta({ description: "The webhook" });
const urlField = z.string().min(1).max(2000).meta({
  description: "An https address that takes a POST; it answers 2xx within 15 seconds",
});
const eventsField = z
  .array(z.enum(subscribable))
  .min(1)
  .max(100)
  .meta({ description: "What it is told about; `*` is everything, also what is added later" });
const statusField = z.enum(["enabled", "disabled"]).meta({ description: "Disabled ones are told nothing" });

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

const deliveryStatus = z
  .enum(["pending", "delivered", "failed"])
  .meta({ description: "`pending` ones are tried again at `next_attempt_at`" });

const deliveryRecord = z.object({
  delivery_id: z.string(),
  webhook_id: z.string(),
  event_id: z
    .string()
    .meta({ description: "The `webhook-id` header: the same on every try, and for all who are told" }),
  type: z.string(),
  status: deliveryStatus,
  attempts: z.int().meta({ description: "How often it was tried" }),
  response_status: z.int().nullable(),
  problem: z.string().nullable(),
  body: z.unknown().meta({ description: "What was sent, or will be" }),
  created_at: timeField,
  tried_at: timeField.nullable(),
  delivered_at: timeField.nullable(),
  next_attempt_at: timeField.nullable(),
});

const toDelivery = (delivery: Delivery): z.input<typeof deliveryRecord> => ({
  delivery_id: delivery.id,
  webhook_id: delivery.webhookId,
  event_id: delivery.eventId,
  type: delivery.type,
  status: delivery.status,
  attempts: delivery.attempts,
  response_status: delivery.responseStatus,
  problem: delivery.problem,
  body: JSON.parse(delivery.body),
  created_at: delivery.createdAt,
  tried_at: delivery.triedAt,
  delivered_at: delivery.deliveredAt,
  next_attempt_at: delivery.sendAt,
});

const secretField = z.string().meta({ description: "Checks the signatures (Standard Webhooks); shown this once" });
const overlapSecondsDefault = 86_400;
const ofOrganization = ["owner_required", "key_restricted"] as const;

export const webhookOperations = [
  operation({
    path: "/latest/webhooks/create",
    area: "webhooks",
    summary: "Have an address told of what happens",
    description:
      "Events are sent as Standard Webhooks: `webhook-id`, `webhook-timestamp` and `webhook-signature`, an HMAC-SHA256 over both and the body. What is not answered with 2xx is tried ten times over three days; after that, or after a 410, the webhook is disabled.",
    needs: "project admin",
    audit: "webhook.created",
    answersSecret: true,
    refuses: ["too_many_webhooks", ...ofOrganization],
    input: z.object({
      url: urlField,
      events: eventsField,
      description: descriptionField.default(""),
      whole_organization: z
        .boolean()
        .default(false)
        .meta({ description: "Hears of every project and of the organization itself; for its owner" }),
    }),
    output: webhookRecord.extend({ webhook_secret: secretField }),
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
      return toPage(rows, input.limit, (row) => row.id, toRecord);
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
      return toRecord(await requireWebhook(scope.db, projectOf(scope), input.webhook_id));
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
    summary: "Replace a webhook's secret, while the old one goes on for a while",
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
        .meta({ description: "How long the old secret goes on signing" }),
    }),
    output: z.object({
      webhook_id: z.string(),
      webhook_secret: secretField,
      old_expires_at: timeField.meta({ description: "Until when the old secret signs" }),
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
    summary: "Delete a webhook, its secret and what waits to be sent to it",
    needs: "project admin",
    audit: "webhook.deleted",
    refuses: ["webhook_not_found", ...ofOrganization],
    input: z.object({ webhook_id: webhookId }),
    output: z.object({ webhook_id: z.string(), deleted: z.literal(true) }),
    example: { webhook_id: "whk_us_…" },
    async run(scope, { webhook_id: id }) {
      await removeWebhook(scope, id, (db) => deleteDeliveriesOf(db, id));
      return { webhook_id: id, deleted: true as const };
    },
    auditOf: (input) => ({ target: input.webhook_id }),
  }),
  outsideOperation({
    path: "/latest/webhooks/{webhook_id}/test",
    area: "webhooks",
    summary: "Send a test event now, and say how it went",
    description:
      "Sends `webhook.test`, whatever the webhook subscribed to, also to one that is disabled. It is tried once, and listed among the deliveries.",
    needs: "project admin",
    audit: "webhook.tested",
    refuses: ["webhook_not_found", ...ofOrganization],
    input: z.object({ webhook_id: webhookId }),
    output: deliveryRecord,
    example: { webhook_id: "whk_us_…" },
    async run(scope, input, { webhooks }) {
      const webhook = await requireOwnWebhook(scope, input.webhook_id);
      const { delivery, keep } = await sendTest(scope, webhook, webhooks);
      await scope.change(async ({ db }) => {
        await keep(db);
        return { value: null, target: webhook.id, details: { status: delivery.status } };
      });
      return toDelivery(delivery);
    },
  }),
  operation({
    path: "/latest/webhooks/{webhook_id}/deliveries",
    area: "webhooks",
    summary: "List what was sent to a webhook or waits to be, newest first",
    needs: "project admin",
    audit: null,
    refuses: ["webhook_not_found", ...ofOrganization],
    input: z.object({ webhook_id: webhookId, status: deliveryStatus.optional(), ...pageInput }),
    output: pageOutput(deliveryRecord),
    example: { webhook_id: "whk_us_…", status: "failed" },
    async run(scope, input) {
      const webhook = await requireOwnWebhook(scope, input.webhook_id);
      const rows = await listDeliveries(scope.db, webhook.id, input.status ?? null, onePageOf(input));
      return toPage(rows, input.limit, (row) => row.id, toDelivery);
    },
  }),
  operation({
    path: "/latest/webhooks/{webhook_id}/replay",
    area: "webhooks",
    summary: "Send a delivery again, or all that failed since a moment",
    description: "They keep their `webhook-id`, so a receiver that has one already knows it.",
    needs: "project admin",
    audit: "webhook.replayed",
    refuses: ["webhook_not_found", "webhook_disabled", "delivery_not_found", ...ofOrganization],
    input: z.object({
      webhook_id: webhookId,
      delivery_id: idField.optional().meta({ description: "One of them; without it, all that failed" }),
      failed_since: z.iso
        .datetime({ offset: true })
        .optional()
        .meta({ description: "Without `delivery_id`: only what was announced since then" }),
    }),
    output: z.object({
      webhook_id: z.string(),
      queued: z.int().meta({ description: "How many will be sent again" }),
    }),
    example: { webhook_id: "whk_us_…", failed_since: "2026-11-14T00:00:00Z" },
    async run(scope, { webhook_id: id, delivery_id: one, failed_since: since }, { webhooks }) {
      const webhook = await requireOwnWebhook(scope, id);
      const failedSince = since === undefined ? "" : new Date(since).toISOString();
      const which = one === undefined ? { failedSince } : { deliveryId: one };
      const queued = await replayDeliveries(scope.db, webhook, which, scope.now());
      scope.afterCommit(webhooks.deliveries.wake);
      return { webhook_id: id, queued };
    },
    auditOf: (input, output) => ({
      target: input.webhook_id,
      details: { delivery_id: input.delivery_id, queued: output.queued },
    }),
  }),
];

/** Paths and queries of such addresses often hold credentials, so the audit log names the origin alone. */
const originOf = (url: string): string => URL.parse(url)?.origin ?? "";
