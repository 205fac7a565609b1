import type { System } from "../systems/define.ts";
import type { StepRequest } from "../systems/work.ts";
import type { SendFailed } from "../transport/outbound.ts";

/** How long the system may work on this request before it gives up itself. */
export const worksMilliseconds = (system: System, request: Pick<StepRequest, "method" | "path">): number =>
  (system.worksSecondsOf?.(request) ?? system.worksSecondsMax) * 1000;

/**
 * "A place among concurrent calls stays taken until the vendor can no longer be working on the call." A system that closed
 * the connection has given up the call; one that we stopped waiting for may still work on it.
 */
export const stillAtWork = (
  { reason }: SendFailed,
  system: System,
  request: Pick<StepRequest, "method" | "path">,
  sinceMilliseconds: number,
): number => (reason === "timed out" ? Math.max(0, worksMilliseconds(system, request) - sinceMilliseconds) : 0);
