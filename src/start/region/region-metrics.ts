import { countWaitingMails } from "../../access/mails/mail-queue.ts";
import type { RegionContext } from "../../calls/region-context.ts";
import type { Metrics } from "../../http/metrics.ts";
import { readQueueDepth } from "../../runs/queue/queue.ts";
import { readBacklog } from "../../webhooks/deliveries.ts";

/** What is read from a region's store for `/metrics`. */
interface RegionLook {
  region: string;
  /** Null if the store does not answer. */
  stored: Stored | null;
  waitingCalls: number;
}

type Stored = Awaited<ReturnType<typeof readStored>>;

/** However often somebody looks, the store is asked once in this time. */
const freshMilliseconds = 5_000;
/** A store that takes longer counts as away: a look at the metrics must not hang with it. */
const patienceMilliseconds = 2_000;

/** Shows what waits in the stores of all regions. */
export function showRegions(metrics: Metrics, regions: () => readonly RegionContext[]): void {
  let look: Promise<RegionLook[]> | null = null;
  let until = 0;
  const lookAgain = (): Promise<RegionLook[]> => {
    if (look && performance.now() < until) return look;
    until = performance.now() + freshMilliseconds;
    look = Promise.all(regions().map(lookAt));
    return look;
  };
  const show = (name: `signalbox_${string}`, help: string, read: (stored: Stored) => number) =>
    metrics.showEach(name, help, ["region"], async () =>
      (await lookAgain()).flatMap(({ region, stored }) =>
        stored ? [{ labels: { region }, value: read(stored) }] : [],
      ),
    );
  metrics.showEach("signalbox_store_up", "1 if the region's store responds, 0 if not", ["region"], async () =>
    (await lookAgain()).map(({ region, stored }) => ({ labels: { region }, value: stored ? 1 : 0 })),
  );
  metrics.showEach(
    "signalbox_runs",
    "Runs that have not ended, by status; queued are those that are due. Each counts to 10,000",
    ["region", "status"],
    async () =>
      (await lookAgain()).flatMap(({ region, stored }) =>
        stored ? statuses.map((status) => ({ labels: { region, status }, value: stored.runs[status] })) : [],
      ),
  );
  show("signalbox_runs_oldest_queued_seconds", "Seconds since the oldest queued run became due", (stored) =>
    secondsSince(stored.runs.oldestQueuedAt, stored.at),
  );
  show(
    "signalbox_webhook_deliveries_pending",
    "Deliveries that wait for an attempt; counts to 10,000",
    (stored) => stored.deliveries.count,
  );
  show(
    "signalbox_webhook_oldest_due_seconds",
    "Seconds since the oldest waiting delivery became due; retries become due later",
    (stored) => secondsSince(stored.deliveries.oldestAt, stored.at),
  );
  show("signalbox_mails_waiting", "Mails that wait to be sent; counts to 10,000", ({ mails }) => mails);
  metrics.showEach("signalbox_limit_waiting", "Calls in this process that wait for a limit", ["region"], async () =>
    (await lookAgain()).map(({ region, waitingCalls }) => ({ labels: { region }, value: waitingCalls })),
  );
}

const statuses = ["queued", "running", "waiting", "outcome_unknown"] as const;

async function lookAt({ region, store, now, rooms }: RegionContext): Promise<RegionLook> {
  const waitingCalls = rooms.steps.limits.waitingCalls();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, patienceMilliseconds, null);
  });
  // Without the store, its series are left out of the page: an alert on their absence finds that, and readiness says why.
  const reading = readStored(store, now()).catch(() => null);
  const stored = await Promise.race([reading, tooLate]);
  clearTimeout(timer);
  return { region, stored, waitingCalls };
}

async function readStored(store: RegionContext["store"], at: Date) {
  const [runs, deliveries, mails] = await Promise.all([
    readQueueDepth(store, at.toISOString()),
    readBacklog(store),
    countWaitingMails(store),
  ]);
  return { at, runs, deliveries, mails };
}

const secondsSince = (moment: string | null, now: Date): number =>
  moment === null ? 0 : Math.max(0, (now.getTime() - Date.parse(moment)) / 1000);
