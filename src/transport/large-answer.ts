import type { Dispatcher } from "undici";
import type { Received } from "./exchange.ts";
import type { Leave, Places } from "./places.ts";
import { SendFailed } from "./send-failed.ts";

/**
 * One answer that may turn out to be large: then it takes one of its tenant's few places for such ones, and waits for it with the
 * connection paused. So a hostile system costs its tenant memory for some large answers, and not for as many as it has calls.
 */
export interface LargeAnswer {
  /** More of it has come than a small one has. */
  onLarge(controller: Dispatcher.DispatchController): void;
  /** What is compressed grows in our hands: resolves when there is a place for it. */
  beforeUnpacking(): Promise<void>;
  /** It was read, or is not wanted any more. */
  end(): void;
}

/** Less than this grows to a megabyte at most. */
const packedBytes = 10 * 1024;

export const growsWhenUnpacked = ({ headers, body }: Received): boolean =>
  body.length > packedBytes && headers["content-encoding"] !== undefined;

export function createLargeAnswer(places: Places, tenant: string, milliseconds: number): LargeAnswer {
  let leave: Leave | null = null;
  let isOver = false;

  const hold = (place: Leave): void => {
    if (isOver) place();
    else leave = place;
  };

  return {
    onLarge(controller) {
      const place = places.enter(tenant, milliseconds);
      if (typeof place === "function") return hold(place);
      controller.pause();
      place.then(
        (taken) => {
          hold(taken);
          if (!isOver) controller.resume();
        },
        (error: Error) => controller.abort(error),
      );
    },
    async beforeUnpacking() {
      if (leave) return;
      const busy = () =>
        new SendFailed("too large", "maybe", "Too many large answers of this organization are under way.");
      hold(await Promise.resolve(places.enter(tenant, milliseconds)).catch(() => Promise.reject(busy())));
    },
    end() {
      isOver = true;
      leave?.();
      leave = null;
    },
  };
}
