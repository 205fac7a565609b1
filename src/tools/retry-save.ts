import { Problem } from "../kernel/problem.ts";
import type { Basis } from "./tools.ts";

/** How often a save is retried when others change the draft at the same time. */
const triesMax = 5;

/**
 * Runs a change that was prepared outside of the transaction, because checking a definition can wait for another
 * process. If another caller changed the draft first, a caller who named no revision is retried with the new one.
 */
export async function onDraft<T>(basis: Basis, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const isOutrun = error instanceof Problem && error.code === "tool_changed" && basis.revision === undefined;
      if (!isOutrun || tries >= triesMax) throw error;
    }
  }
}
