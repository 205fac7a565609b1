import type { EnginePorts } from "../engine/ports.ts";
import { type Holder, settleAbandoned } from "../reconcile/settle-abandoned.ts";
import { makeOrphanedRunsDue } from "./orphaned-runs.ts";
import { releaseExpiredLeases } from "./queue.store.ts";

/**
 * The recovery after a crash. A run of a tool or an agent whose worker died is due again: its journal says how far it
 * came. A single step has no journal, so this worker claims it and reconciles its write. Calls `wake` if runs became
 * due.
 */
export async function recover(ports: EnginePorts, holder: Holder, wake: () => void): Promise<void> {
  const { store, now } = ports;
  const released = await store.transaction((db) => releaseExpiredLeases(db, now().toISOString()));
  const orphaned = await makeOrphanedRunsDue(store, now());
  if (released + orphaned > 0) wake();
  await settleAbandoned(ports, holder);
}
