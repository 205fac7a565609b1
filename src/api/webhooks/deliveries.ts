import * as z from "zod";
import { projectOf } from "../../access/scope.ts";
import { externalOperation, operation, type Rooms } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import { giveWay } from "../../kernel/work-in-slices.ts";
import {
  countFailed,
  type Delivery,
  findFailures,
  listDeliveries,
  replayDeliveries,
} from "../../webhooks/deliveries.ts";
import { sendTest } from "../../webhooks/send-test.ts";
import { shownBody } from "../../webhooks/shown-body.ts";
import { listWebhooks, requireOwnWebhook } from "../../webhooks/webhooks.ts";
import { idField, timeField } from "../shared-fields.ts";
import { isOwner, ofOrganization, statusField, webhookId } from "./webhooks.ts";

const deliveryStatus = z
  .enum(["pending", "delivered", "failed"])
  .meta({ description: "`pending` ones are tried again at `next_attempt_at`" });

const deliveryRecord = z.object({
  delivery_id: z.string(),
  webhook_id: z.string(),
  event_id: z
    .string()
    .meta({ description: "The `webhook-id` header: the same on every attempt, and for all receivers" }),
  type: z.string(),
  status: deliveryStatus,
  attempts: z.int().meta({ description: "How many attempts were made" }),
  response_status: z.int().nullable(),
  problem: z.string().nullable(),
  body: z.unknown().meta({ description: "What was sent, or will be" }),
  created_at: timeField,
  tried_at: timeField.nullable(),
  delivered_at: timeField.nullable(),
  next_attempt_at: timeField.nullable(),
});
z.globalRegistry.add(deliveryRecord, { id: "WebhookDelivery" });

const toDelivery = (delivery: Delivery, { inviteCodes }: Rooms): z.input<typeof deliveryRecord> => ({
  delivery_id: delivery.id,
  webhook_id: delivery.webhookId,
  event_id: delivery.eventId,
  type: delivery.type,
  status: delivery.status,
  attempts: delivery.attempts,
  response_status: delivery.responseStatus,
  problem: delivery.problem,
  body: JSON.parse(shownBody(delivery, inviteCodes)),
  created_at: delivery.createdAt,
  tried_at: delivery.triedAt,
  delivered_at: delivery.deliveredAt,
  next_attempt_at: delivery.sendAt,
});

/** Failures are counted among so many of a webhook's newest deliveries. */
const countedAmong = 500;
/** More than a project can have. */
const everyWebhook = { after: "", limit: 100 };

/** Operations on past deliveries, test events and retries. */
export const deliveryOperations = [
  operation({
    path: "/latest/webhooks/failures",
    area: "webhooks",
    summary: "List the webhooks that events could not be delivered to",
    description: `Webhooks with deliveries that failed for good, among the newest ${countedAmong} of each. Webhooks of the whole organization are listed for its owner.`,
    needs: "project admin",
    audit: null,
    refuses: [],
    input: z.object({}),
    output: z.object({
      failures: z
        .array(
          z.object({
            webhook_id: z.string(),
            url: z.string(),
            status: statusField,
            status_reason: z.string().nullable(),
            failed: z.int().meta({ description: "How many deliveries failed" }),
            last: deliveryRecord.meta({ description: "The newest of them" }),
          }),
        )
        .meta({ description: "One for each webhook with failed deliveries" }),
    }),
    example: {},
    async run(scope, _input, rooms) {
      const failures = [];
      const turn = giveWay();
      for (const webhook of await listWebhooks(scope.db, projectOf(scope), everyWebhook)) {
        await turn();
        if (webhook.wholeOrganization && !isOwner(scope)) continue;
        const found = await findFailures(scope.db, webhook.id, countedAmong);
        if (found === null) continue;
        const { id, url, status, statusReason } = webhook;
        const { count, last } = found;
        failures.push({
          webhook_id: id,
          url,
          status,
          status_reason: statusReason,
          failed: count,
          last: toDelivery(last, rooms),
        });
      }
      return { failures };
    },
  }),
  externalOperation({
    path: "/latest/webhooks/{webhook_id}/test",
    area: "webhooks",
    summary: "Send a test event now, and return the result",
    description:
      "Sends `webhook.test`, whatever the webhook subscribes to, even if it is disabled. It is sent once, and listed among the deliveries.",
    needs: "project admin",
    audit: "webhook.tested",
    answersWithChange: true,
    refuses: ["webhook_not_found", ...ofOrganization],
    input: z.object({ webhook_id: webhookId }),
    output: deliveryRecord,
    example: { webhook_id: "whk_us_…" },
    async run(scope, input, rooms) {
      const webhook = await requireOwnWebhook(scope, input.webhook_id);
      const { delivery, save } = await sendTest(scope, webhook, rooms.webhooks);
      return scope.change(async ({ db }) => {
        await save(db);
        return { value: toDelivery(delivery, rooms), target: webhook.id, details: { status: delivery.status } };
      });
    },
  }),
  operation({
    path: "/latest/webhooks/{webhook_id}/deliveries",
    area: "webhooks",
    summary: "List the deliveries of a webhook, newest first",
    needs: "project admin",
    audit: null,
    refuses: ["webhook_not_found", ...ofOrganization],
    input: z.object({ webhook_id: webhookId, status: deliveryStatus.optional(), ...pageInput }),
    output: pageOutput(deliveryRecord),
    example: { webhook_id: "whk_us_…", status: "failed" },
    async run(scope, input, rooms) {
      const webhook = await requireOwnWebhook(scope, input.webhook_id);
      const rows = await listDeliveries(scope.db, webhook.id, { status: input.status ?? null }, onePageOf(input));
      return toPage(
        rows,
        input.limit,
        (row) => row.id,
        (row) => toDelivery(row, rooms),
      );
    },
  }),
  externalOperation({
    changesOnce: true,
    path: "/latest/webhooks/{webhook_id}/replay",
    area: "webhooks",
    summary: "Send a delivery again, or all that failed since a given time",
    description:
      "Deliveries keep their `webhook-id`, so a receiver can recognize one that it already has. Of more than 500, the others are queued shortly after the response.",
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
      const failedSince = since === undefined ? "" : new Date(since).toISOString();
      const { id: found } = await requireOwnWebhook(scope, id);
      // Before the transaction, because there may be very many.
      const failed = one === undefined ? await countFailed(scope.db, found, failedSince) : 0;
      return scope.change(async (inside) => {
        const webhook = await requireOwnWebhook(inside, id);
        const which = one === undefined ? { failedSince, failed } : { deliveryId: one };
        const queued = await replayDeliveries(inside.db, webhook, which, inside.now());
        inside.afterCommit(webhooks.deliveries.wake);
        return { value: { webhook_id: id, queued }, target: id, details: { delivery_id: one, queued } };
      });
    },
  }),
];
