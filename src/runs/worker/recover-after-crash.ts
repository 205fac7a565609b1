import type { EnginePorts } from "../outcome/ports.ts";
import { makeOrphanedRunsDue } from "../queue/orphaned-runs.ts";
import { releaseExpiredLeases } from "../queue/queue.ts";
import { type Holder, settleAbandoned } from "../single-step/settle-abandoned.ts";

/**
 * The one recovery after a crash, for runs of every kind. A run of a tool or an agent whose worker died is due again:
 * its journal says how far it came. A single step does not pass the queue, because there is nothing left to do but to
 * find the outcome of a write that was sent: as `queued` it would seem unsent, and only a person may send it again. So
 * this worker claims it and reconciles its write. Calls `wake` if runs became due.
 */
export async function recover(ports: EnginePorts, holder: Holder, wake: () => void): Promise<void> {
  const { store, now } = ports;
  const released = await store.transaction((db) => releaseExpiredLeases(db, now().toISOString()));
  const orphaned = await makeOrphanedRunsDue(store, now());
  if (released + orphaned > 0) wake();
  await settleAbandoned(ports, holder);
}
