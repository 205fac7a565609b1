import type { Dispatcher } from "undici";
import type { Capacity, Release } from "./capacity.ts";
import type { Received } from "./exchange.ts";
import { SendFailed } from "./send-failed.ts";

/**
 * One answer that may turn out to be large: then it takes one of its tenant's few places for such ones, and waits for it with the
 * connection paused. So a hostile system costs its tenant memory for some large answers, and not for as many as it has calls.
 */
export interface LargeAnswer {
  /** More of it has come than a small one has. */
  onLarge(controller: Dispatcher.DispatchController): void;
  /** What is compressed grows in our hands: resolves when there is a slot for it. */
  beforeUnpacking(): Promise<void>;
  /** It was read, or is not wanted any more. */
  end(): void;
}

/** Less than this grows to a megabyte at most. */
const packedBytes = 10 * 1024;

export const growsWhenUnpacked = ({ headers, body }: Received): boolean =>
  body.length > packedBytes && headers["content-encoding"] !== undefined;

export function createLargeAnswer(capacity: Capacity, tenant: string, milliseconds: number): LargeAnswer {
  let release: Release | null = null;
  let isOver = false;

  const hold = (slot: Release): void => {
    if (isOver) slot();
    else release = slot;
  };

  return {
    onLarge(controller) {
      const slot = capacity.acquire(tenant, milliseconds);
      if (typeof slot === "function") return hold(slot);
      controller.pause();
      slot.then(
        (taken) => {
          hold(taken);
          if (!isOver) controller.resume();
        },
        (error: Error) => controller.abort(error),
      );
    },
    async beforeUnpacking() {
      if (release) return;
      const busy = () =>
        new SendFailed("too large", "maybe", "Too many large answers of this organization are under way.");
      hold(await Promise.resolve(capacity.acquire(tenant, milliseconds)).catch(() => Promise.reject(busy())));
    },
    end() {
      isOver = true;
      release?.();
      release = null;
    },
  };
}
