import { listOrganizationIds } from "../access/organizations.ts";
import { nextTurn } from "../kernel/work-in-slices.ts";
import { deleteSomeRemains } from "../runs/expired-runs.ts";
import { deleteOrphans } from "../webhooks/expired-deliveries.ts";
import { dropEmptyMonths, prepareMonths } from "./keep-partitions.ts";
import { readHeld } from "./legal-holds.ts";
import { pruneAudit } from "./prune-audit.ts";
import { cutOff, type PassParts, PolicyChanged } from "./prune-pass.ts";
import { pruneTable } from "./prune-table.ts";
import { createLease, LeaseLost } from "./pruner-lease.ts";
import { defaultPolicy, readPolicy } from "./retention-policy.ts";

export interface PrunerParts extends Omit<PassParts, "pause" | "lease" | "hasStopped"> {
  pause?: PassParts["pause"];
}

export interface Pruner {
  start(): void;
  /** Resolves when the batch that is under way has ended. */
  stop(): Promise<void>;
  /** One pass over all organizations. Does nothing while another node makes one. */
  pass(): Promise<void>;
}

const everySeconds = 3600;
/** Long before an hour: a server that is restarted every hour deletes, too. Not at once, because a start has other work. */
const firstAfterSeconds = 300;
const organizationsAtOnce = 10;
/** Other work gets at least half of the time. */
const pauseMilliseconds = 5;

/** Deletes what the organizations' retention policies no longer keep, in small batches. */
export function createPruner(parts: PrunerParts): Pruner {
  let stopping = false;
  let underWay: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  const lease = createLease(parts.store);
  const pass: PassParts = { pause: shortPause, ...parts, lease, hasStopped: () => stopping };
  const once = (): Promise<void> => {
    underWay ??= makePass(pass).finally(() => {
      underWay = null;
    });
    return underWay;
  };
  const quietly = () =>
    once().catch((error) => parts.log.warn({ err: error }, "old records could not be deleted, will be tried again"));
  return {
    pass: once,
    start() {
      timer = setTimeout(() => {
        timer = setInterval(quietly, everySeconds * 1000).unref();
        void quietly();
      }, firstAfterSeconds * 1000).unref();
    },
    async stop() {
      stopping = true;
      clearTimeout(timer);
      // The pass logs its own failure.
      await underWay?.catch(() => {});
    },
  };
}

const shortPause = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(() => void nextTurn().then(resolve), pauseMilliseconds);
  });

async function makePass(parts: PassParts): Promise<void> {
  const { store, lease, log, expiryNow } = parts;
  if (!(await lease.take())) return;
  try {
    await prepareMonths(parts);
    await deleteRemains(parts);
    for (let after = ""; !parts.hasStopped(); ) {
      const organizations = await listOrganizationIds(store, after, organizationsAtOnce);
      for (const id of organizations) {
        if (parts.hasStopped()) return;
        await pruneOrganization(parts, id).catch((error) => {
          if (error instanceof LeaseLost) throw error;
          log.warn({ err: error, organization: id }, "old records of an organization could not be deleted");
        });
      }
      after = organizations.at(-1) ?? "";
      if (organizations.length < organizationsAtOnce) break;
      await parts.pause();
    }
    await deleteOrphans(store, cutOff(expiryNow(), defaultPolicy.deliveries.days ?? 0));
    await dropEmptyMonths(parts);
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
  } finally {
    // A lease that is not released expires.
    await lease.end().catch(() => {});
  }
}

async function pruneOrganization(parts: PassParts, organizationId: string): Promise<void> {
  const policy = await readPolicy(parts.store, organizationId);
  const held = await readHeld(parts.store, organizationId);
  if (held.everything) return;
  try {
    // Events first: a run that an event started stays as long as the event.
    for (const kind of ["deliveries", "events", "runs"] as const) {
      await pruneTable(parts, organizationId, kind, policy[kind]);
    }
    await deleteRemains(parts);
    await pruneAudit(parts, organizationId, policy.audit);
  } catch (error) {
    // The next pass follows the new policy or hold.
    if (!(error instanceof PolicyChanged)) throw error;
  }
}

async function deleteRemains(parts: PassParts): Promise<void> {
  while (!parts.hasStopped() && (await deleteSomeRemains(parts.store)) !== null) await parts.pause();
}
