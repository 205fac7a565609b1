import postgres from "postgres";
import { after } from "../../kill-loop/runs/any-node.ts";
import type { Cluster } from "./cluster.ts";
import type { Machine } from "./machine.ts";

export const faultKinds = [
  "the primary's machine is killed",
  "the primary's machine freezes",
  "PostgreSQL is killed on the primary",
  "the synchronous replica freezes",
  "a planned switchover",
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Longer than the timeouts of replication, and shorter than the lock lives. */
const replicaStandsSeconds = 12;
/** So long the old primary is awake while its Patroni still stands. */
const splitSeconds = 4;

export interface Strike {
  /** From the fault until a primary is in charge. */
  promotedSeconds: number;
  primary: Machine;
  /** Brings back what was hit. `inSplit` runs while two servers accept writes. */
  repair(inSplit: () => Promise<void>): Promise<void>;
}

export async function strike(cluster: Cluster, kind: FaultKind): Promise<Strike> {
  const old = await cluster.primary();
  if (!old) throw new Error("The cluster has no primary to strike.");
  const startedAt = performance.now();
  const struck = (primary: Machine, repair: Strike["repair"] = async () => {}): Strike => ({
    promotedSeconds: (performance.now() - startedAt) / 1000,
    primary,
    repair,
  });
  switch (kind) {
    case "the primary's machine is killed":
      old.die();
      return struck(await otherPrimary(cluster, old), async () => old.startAgain());
    case "the primary's machine freezes": {
      old.freeze();
      const primary = await otherPrimary(cluster, old);
      return struck(primary, (inSplit) => wakeInTwoSteps(cluster, old, primary, inSplit));
    }
    case "PostgreSQL is killed on the primary":
      old.crashPostgres();
      // Patroni starts it again, or gives up and has a replica promoted.
      return struck(await cluster.within("a primary that responds", () => respondingPrimary(cluster)));
    case "the synchronous replica freezes": {
      const replica = await cluster.synchronousReplica();
      replica?.freeze();
      return struck(old, async () => {
        await after(replicaStandsSeconds * 1000);
        replica?.thaw();
      });
    }
    case "a planned switchover":
      await cluster.switchover(old);
      return struck(await otherPrimary(cluster, old));
  }
}

/** Two servers accept writes for a while, and the nodes lose their connections to the right one, and look for it again. */
async function wakeInTwoSteps(
  cluster: Cluster,
  old: Machine,
  primary: Machine,
  inSplit: () => Promise<void>,
): Promise<void> {
  old.thawDatabase();
  const until = performance.now() + splitSeconds * 1000;
  while (performance.now() < until) {
    await endSessions(cluster.superuserUrl(primary));
    await inSplit();
  }
  old.thaw();
}

async function endSessions(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} });
  await sql.unsafe("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'signalbox'");
  await sql.end();
}

/** Patroni holds the lock while its server starts again. */
async function respondingPrimary(cluster: Cluster): Promise<Machine | null> {
  const primary = await cluster.primary();
  if (!primary) return null;
  const sql = postgres(cluster.superuserUrl(primary), { max: 1, connect_timeout: 2 });
  try {
    await sql.unsafe("select 1");
    return primary;
  } catch {
    return null;
  } finally {
    await sql.end({ timeout: 0 });
  }
}

const otherPrimary = (cluster: Cluster, old: Machine): Promise<Machine> =>
  cluster.within("a new primary", async () => {
    const primary = await cluster.primary();
    return primary === old ? null : primary;
  });
