import { createHmac } from "node:crypto";
import type { Clock } from "../../server/clock.ts";
import type { Limits } from "../limits.ts";

interface Delivery {
  url: string;
  json: string;
  signature: string;
  firstAt: number;
  attempts: number;
}

/** Sends events by real HTTP and, when no 2xx comes back, again with doubled pauses for up to a day of the clock. */
export interface Deliveries {
  send(url: string, secret: string, json: string): void;
  /** Gives up everything under way: after a reset, nobody is told of what no longer is. */
  giveUp(): void;
}

export function createDeliveries(clock: Clock, limits: Limits): Deliveries {
  const underWay = new Set<AbortController>();
  let generation = 0;

  async function attempt(delivery: Delivery): Promise<void> {
    const startedAt = clock.now();
    const startedIn = generation;
    delivery.attempts++;
    if ((await post(delivery)) || startedIn !== generation) return;
    // Counted from this attempt's own moment: a clock moved by a day plays the whole row of attempts.
    const pause = limits.webhook_first_retry_seconds * 2 ** (delivery.attempts - 1);
    const nextAt = startedAt + pause * 1000;
    if (nextAt > delivery.firstAt + limits.webhook_retries_for_hours * 3_600_000) return;
    clock.at(nextAt, () => void attempt(delivery));
  }

  async function post({ url, json, signature }: Delivery): Promise<boolean> {
    const controller = new AbortController();
    underWay.add(controller);
    // The network's time is the machine's: a clock moved forward must not cut off an answer that is on its way.
    const timer = setTimeout(() => controller.abort(), limits.webhook_timeout_seconds * 1000);
    try {
      const response = await fetch(url, {
        method: "POST",
        redirect: "manual",
        headers: {
          "content-type": "application/json",
          "x-vercel-signature": signature,
          "user-agent": "Vercel-Webhook",
        },
        body: json,
        signal: controller.signal,
      });
      await response.arrayBuffer();
      return response.ok;
    } catch {
      // Refused, cut off, too slow: all of it is tried again.
      return false;
    } finally {
      clearTimeout(timer);
      underWay.delete(controller);
    }
  }

  return {
    send(url, secret, json) {
      const signature = createHmac("sha1", secret).update(json).digest("hex");
      void attempt({ url, json, signature, firstAt: clock.now(), attempts: 0 });
    },
    giveUp() {
      generation++;
      for (const controller of underWay) controller.abort();
    },
  };
}
