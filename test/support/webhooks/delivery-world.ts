import type { Store } from "../../../src/store/db.ts";
import { announce } from "../../../src/webhooks/announce.ts";
import type { StoreKind } from "../stores.ts";
import { startTeam, type Team } from "../team.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

/** A webhook of a project, its receiver, and events to send. */
export interface DeliveryWorld {
  team: Team;
  receiver: Receiver;
  webhookId: string;
  secret: string;
  announceRun(type?: "run.failed" | "run.succeeded"): Promise<number>;
  sendDue(): Promise<number>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members it expects.
  deliveries(): Promise<any[]>;
  // biome-ignore lint/suspicious/noExplicitAny: likewise.
  record(): Promise<any>;
}

export async function startDeliveries(kind: StoreKind, more: { store?: Store } = {}): Promise<DeliveryWorld> {
  const receiver = await startReceiver();
  const team = await startTeam(kind, { ...more, privateOrigins: [receiver.origin] });
  const { call, inProject, owner, store, projectId } = team;
  const { body } = await call("webhooks/create", { url: receiver.url, events: ["run.failed"] }, inProject(owner));
  return {
    team,
    receiver,
    webhookId: body.webhook_id,
    secret: body.webhook_secret,
    announceRun: (type = "run.failed") =>
      store.transaction((db) =>
        announce(db, {
          organizationId: owner.organizationId,
          projectId,
          type,
          data: { run_id: "run_us_1", status: "failed" },
          now: team.now(),
        }),
      ),
    sendDue: () => team.context.rooms.webhooks.deliveries.sendDue(),
    deliveries: async () => (await call(`webhooks/${body.webhook_id}/deliveries`, {}, inProject(owner))).body.results,
    record: async () => (await call(`webhooks/${body.webhook_id}/get`, {}, inProject(owner))).body,
  };
}
