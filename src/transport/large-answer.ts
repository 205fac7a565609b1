import type { Dispatcher } from "undici";
import type { Capacity, Release } from "./capacity.ts";
import { SendFailed } from "./send-failed.ts";
import type { RawAnswer } from "./send-request.ts";

/**
 * An answer that may turn out to be large. It then takes one of its tenant's few slots for large answers, and waits for
 * the slot with the connection paused. So a hostile system costs its tenant the memory of a few large answers, not one
 * per call.
 */
export interface LargeAnswer {
  /** More bytes have arrived than a small answer has. */
  onLarge(controller: Dispatcher.DispatchController): void;
  /** A compressed answer grows in memory: resolves when a slot is free. */
  beforeUnpacking(): Promise<void>;
  /** The answer was read or is no longer needed. */
  end(): void;
}

/** A smaller body decompresses to a megabyte at most. */
const packedBytes = 10 * 1024;

export const growsWhenUnpacked = ({ headers, body }: RawAnswer): boolean =>
  body.length > packedBytes && headers["content-encoding"] !== undefined;

export function createLargeAnswer(capacity: Capacity, tenant: string, milliseconds: number): LargeAnswer {
  let release: Release | null = null;
  let isOver = false;

  const holdSlot = (slot: Release): void => {
    if (isOver) slot();
    else release = slot;
  };

  return {
    onLarge(controller) {
      const slot = capacity.acquire(tenant, milliseconds);
      if (typeof slot === "function") return holdSlot(slot);
      controller.pause();
      slot.then(
        (taken) => {
          holdSlot(taken);
          if (!isOver) controller.resume();
        },
        (error: Error) => controller.abort(error),
      );
    },
    async beforeUnpacking() {
      if (release) return;
      const busy = () =>
        new SendFailed("too large", "maybe", "Too many large answers of this organization are under way.");
      holdSlot(await Promise.resolve(capacity.acquire(tenant, milliseconds)).catch(() => Promise.reject(busy())));
    },
    end() {
      isOver = true;
      release?.();
      release = null;
    },
  };
}
