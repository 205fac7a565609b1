import { createLastUsed } from "../../access/callers/last-used.ts";
import { createDirectoryRequests } from "../../access/directory/recent-requests.ts";
import { createKeyLeases } from "../../calls/idempotency-leases.ts";
import { createPruner } from "../../retention/pruner.ts";
import { startCleanUp } from "./delete-expired.ts";
import { watchForClockSetBack } from "./move-times-back.ts";
import type { RegionAccounts } from "./open-accounts.ts";
import type { RegionBase } from "./open-base.ts";
import type { RegionWork } from "./open-work.ts";

/** What a region records beside its calls, and what it deletes. */
export function startUpkeep(base: RegionBase, { limits, vault }: RegionAccounts, { events, wake }: RegionWork) {
  const { config, region, store, inviteCodes, log, now, expiryNow } = base;
  const keyLeases = createKeyLeases({
    store,
    now,
    failed: (error) => log.warn({ err: error }, "renewing the leases of idempotency keys failed and will be retried"),
  });
  const lastUsed = createLastUsed(store);
  const directoryRequests = createDirectoryRequests(store);
  const flushOften = [lastUsed.flush, directoryRequests.flush, events.refusals.flush];
  const cleanUp = startCleanUp({ store, limits, inviteCodes, flushOften, log, expiryNow });
  const { archiveFolder } = config;
  const pruner = createPruner({ store, region, seal: vault.keys, archiveFolder, log, now, expiryNow });
  const wakeAll = (): void => {
    wake("runs");
    wake("deliveries");
  };
  const timesBack = watchForClockSetBack({ store, leaseSeconds: config.leaseSeconds, log, now, wake: wakeAll });
  return { timesBack, keyLeases, lastUsed, directoryRequests, cleanUp, pruner };
}
