import { createRateLimits } from "../../calls/rate-limits/rate-limiter.ts";
import { shareLimits } from "../../calls/rate-limits/shared-counts/shared-counts.ts";
import { pageOriginOf } from "../../identity/page-origin.ts";
import type { Log, MailLog } from "../../kernel/log.ts";
import type { RegionMeter } from "../../kernel/meter.ts";
import type { Region } from "../../kernel/regions.ts";
import type { RunMemory } from "../../runs/queue/run-memory.ts";
import { openExpiryClock } from "../../store/clock/expiry-clock.ts";
import { followDatabaseClock, readDatabaseTime } from "../../store/postgres/database-clock.ts";
import type { OutboundByUse } from "../../transport/outbound-by-use.ts";
import type { Compute } from "../../untrusted/compute.ts";
import { createInviteCodes } from "../../vault/sealing/hide-invite-codes.ts";
import type { KeyRing } from "../../vault/sealing/key-ring.ts";
import { createSeal } from "../../vault/sealing/seal.ts";
import type { Config } from "../settings/config.ts";
import { openReplica } from "./open-database.ts";
import { closedOnFailure, openRegionStore } from "./open-region-store.ts";
import { openMails } from "./region-mails.ts";
import { unlessFull } from "./take-over-file.ts";

/** What the regions of a process share, and what each gets from it. */
export interface RegionParts {
  ring: KeyRing;
  outbounds: OutboundByUse;
  compute: Compute;
  runMemory: RunMemory;
  log: Log;
  mailLog: MailLog;
  now: () => Date;
  meter: RegionMeter;
}

export type RegionBase = Awaited<ReturnType<typeof openBase>>;

/** What everything else in a region stands on: its store, keys, mails and rate limits. */
export async function openBase(config: Config, region: Region, parts: RegionParts) {
  const { ring, meter } = parts;
  const log = parts.log.child({ region });
  const opening = { ring, now: parts.now, meter, log };
  const opened = await openRegionStore(config, region, opening);
  return closedOnFailure(opened.store, () => standOn(opened, config, region, { ...parts, log }));
}

async function standOn(
  { store, ownFile, restoredAt }: Awaited<ReturnType<typeof openRegionStore>>,
  config: Config,
  region: Region,
  parts: RegionParts,
) {
  const { ring, meter, mailLog, log } = parts;
  // Nodes that share a database take their time from it. Those that share a file are on one machine.
  const clock =
    store.kind === "postgres" ? await followDatabaseClock(() => readDatabaseTime(store.reserve), log) : null;
  const now = clock?.now ?? parts.now;
  const expiry = await openExpiryClock(store, now, log);
  const baseUrl = config.baseUrls[region];
  const pages = pageOriginOf(baseUrl);
  const seal = createSeal(ring.current, ring.find);
  const inviteCodes = createInviteCodes({ store, ring, now });
  await unlessFull(inviteCodes.refresh());
  const isHeld = () => ownFile?.marks.isRecorded() === false;
  const mails = openMails(config, region, { store, seal, baseUrl: pages.url, log, mailLog, now, meter, isHeld });
  // Per region: calls in one region do not count against callers in another.
  // Nodes on one database count together; a process on a file of its own counts in memory.
  const sharing = store.kind === "postgres" ? shareLimits(store, log) : null;
  const rateLimits = createRateLimits(config.rateLimits, undefined, sharing);
  const processes = () => (sharing ? sharing.counts.processes() || Number.POSITIVE_INFINITY : 1);
  // Last: what fails before has opened nothing but the store.
  const replica = await openReplica(config, region, { primary: store, log, meter });
  const opened = {
    store,
    ownFile,
    restoredAt,
    replica,
    baseUrl,
    pages,
    seal,
    inviteCodes,
    mails,
    rateLimits,
    processes,
  };
  const stopClocks = (): void => {
    expiry.stop();
    clock?.stop();
  };
  return { ...parts, ...opened, config, region, now, expiryNow: expiry.now, stopClocks };
}
