import { randomBase62 } from "../../kernel/random.ts";
import { isoTime } from "../../kernel/times.ts";
import type { Db, Store } from "../../store/db.ts";
import { deleteOlderRefusals, insertRefusal, listRefusals, type Refusal } from "./refused-events.store.ts";

export type { Refusal } from "./refused-events.store.ts";

/** Requests to an agent's address whose signature did not fit, since this process started. */
export interface Refused {
  count: number;
  lastAt: string;
}

export interface Refusals {
  note(agent: { id: string; organizationId: string }, reason: Refusal["reason"]): void;
  of(agentId: string): Refused | null;
  /** The last ones, newest first: those in the store, and those of this process that are not written yet. */
  recent(db: Db, agentId: string): Promise<Refusal[]>;
  flush(): Promise<void>;
}

const agentsMax = 1_000;
const organizationsMax = 1_000;
const keptRefusals = 20;
const waitingMax = 100;

/**
 * A stranger who knows an address must neither fill the store nor make it busy. Requests are noted in memory and
 * written from time to time: the last 20 of an agent, and at most 100 of an organization at once. Beyond that, its
 * oldest are forgotten.
 */
export function createRefusals(store: Store, now: () => Date): Refusals {
  const byAgent = new Map<string, Refused>();
  const waiting = new Map<string, Refusal[]>();
  let noted = 0;
  return {
    note({ id: agentId, organizationId }, reason) {
      const at = now();
      const count = (byAgent.get(agentId)?.count ?? 0) + 1;
      byAgent.delete(agentId);
      byAgent.set(agentId, { count, lastAt: isoTime(at) });
      forgetFirst(byAgent, agentsMax);
      // Several may come in one millisecond.
      const id = `${at.getTime()}-${String(noted++).padStart(9, "0")}-${randomBase62(6)}`;
      const here = waiting.get(organizationId) ?? [];
      here.push({ id, agentId, reason, at: isoTime(at) });
      const own = here.filter((refusal) => refusal.agentId === agentId);
      const [tooMuch] = own.length > keptRefusals ? own : here.length > waitingMax ? here : [];
      waiting.delete(organizationId);
      waiting.set(
        organizationId,
        here.filter((refusal) => refusal !== tooMuch),
      );
      forgetFirst(waiting, organizationsMax);
    },
    of: (agentId) => byAgent.get(agentId) ?? null,
    async recent(db, agentId) {
      const here = [...waiting.values()].flat().filter((refusal) => refusal.agentId === agentId);
      const stored = await listRefusals(db, agentId, keptRefusals);
      const byId = new Map([...here, ...stored].map((refusal) => [refusal.id, refusal]));
      return [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, keptRefusals);
    },
    async flush() {
      const written = [...waiting.values()].flat();
      if (written.length === 0) return;
      await store.transaction(async (db) => {
        for (const refusal of written) await insertRefusal(db, refusal);
        for (const agentId of new Set(written.map((refusal) => refusal.agentId))) {
          await deleteOlderRefusals(db, agentId, keptRefusals);
        }
      });
      const done = new Set(written);
      for (const [organizationId, here] of waiting) {
        const left = here.filter((refusal) => !done.has(refusal));
        if (left.length > 0) waiting.set(organizationId, left);
        else waiting.delete(organizationId);
      }
    },
  };
}

function forgetFirst(map: Map<string, unknown>, max: number): void {
  if (map.size > max) map.delete(map.keys().next().value ?? "");
}
