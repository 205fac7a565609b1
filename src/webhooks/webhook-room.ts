import type { InviteCodes } from "../access/invite-code-port.ts";
import type { Log } from "../kernel/log.ts";
import type { RegionMeter } from "../kernel/meter.ts";
import type { Store } from "../store/db.ts";
import type { Outbound } from "../transport/outbound.ts";
import type { PrivateHost } from "../transport/private-hosts.ts";
import type { DataKeys } from "../vault/sealing/data-keys.ts";
import { createDispatcher, type Dispatcher } from "./dispatcher.ts";
import { createLive, type Live } from "./live/live-stream.ts";

/** What operations need of this room: the dispatcher, and what signs and sends deliveries. */
export interface WebhookRoom {
  keys: DataKeys;
  inviteCodes: Pick<InviteCodes, "shown">;
  outbound: Outbound;
  /** Origins in private networks that the operator allows. */
  privateOrigins: readonly PrivateHost[];
  deliveries: Dispatcher;
  /** Streams of what changes in a project. */
  live: Live;
  /** Begins to poll: for deliveries of other nodes, and for retries. */
  start(): void;
  stop(): Promise<void>;
}

export interface WebhookRoomParts {
  store: Store;
  keys: DataKeys;
  inviteCodes: Pick<InviteCodes, "shown">;
  outbound: Outbound;
  privateOrigins: readonly PrivateHost[];
  log: Log;
  now: () => Date;
  random?: () => number;
  meter?: RegionMeter;
}

const pollSeconds = 5;

export function createWebhookRoom(parts: WebhookRoomParts): WebhookRoom {
  const { store, keys, inviteCodes, outbound, privateOrigins, log, now, meter, random = Math.random } = parts;
  const deliveries = createDispatcher({ store, keys, inviteCodes, outbound, log, now, random, meter });
  let timer: NodeJS.Timeout | undefined;
  return {
    keys,
    inviteCodes,
    outbound,
    privateOrigins,
    deliveries,
    live: createLive({ store, log }),
    start() {
      timer = setInterval(deliveries.wake, pollSeconds * 1000).unref();
      // Deliveries of an earlier process do not wait for the first interval.
      deliveries.wake();
    },
    async stop() {
      clearInterval(timer);
      await deliveries.stop();
    },
  };
}
