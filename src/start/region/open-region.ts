import type { Rooms } from "../../calls/define-operation.ts";
import type { RegionContext } from "../../calls/region-context.ts";
import { createAssistantDocuments } from "../../identity/assistant-documents.ts";
import { resolveTxtByMachine } from "../../identity/sso/domains.ts";
import { createSso } from "../../identity/sso/sso.ts";
import type { Region } from "../../kernel/regions.ts";
import type { Outbound } from "../../transport/outbound.ts";
import { createSandboxControl, type SandboxControl } from "../../transport/sandbox-control.ts";
import { announceChanges } from "../../webhooks/announce-changes.ts";
import { type Config, sandboxUrlsOf } from "../settings/config.ts";
import { openAccounts, type RegionAccounts } from "./open-accounts.ts";
import { openBase, type RegionBase, type RegionParts } from "./open-base.ts";
import { closedOnFailure } from "./open-region-store.ts";
import { openWork, type RegionWork } from "./open-work.ts";
import { startUpkeep } from "./start-upkeep.ts";

export interface OpenRegion {
  context: RegionContext;
  /**
   * Call it once the systems can be called: waiting and interrupted work continues. After a restore from a backup it
   * begins only when that is recorded: otherwise the next start would not know of the restore.
   */
  begin(): void;
  /** Stops the background work, saves what it still holds, and closes the store. */
  close(): Promise<void>;
  /** Why writes fail at the moment, or null. */
  writeFailure(): Promise<string | null>;
  /** Call it after the last call has ended: the next process may then take over open work. */
  leave(): void;
}

/** Opens one region: its store and its background work. */
export async function openRegion(config: Config, region: Region, parts: RegionParts): Promise<OpenRegion> {
  const base = await openBase(config, region, parts);
  const close = async (): Promise<void> => {
    await base.replica?.close();
    await base.store.close();
  };
  return closedOnFailure({ close }, () => openOn(base));
}

async function openOn(base: RegionBase): Promise<OpenRegion> {
  const { config, region } = base;
  const accounts = openAccounts(base);
  const work = await openWork(base, accounts);
  const upkeep = startUpkeep(base, accounts, work);
  const { store, ownFile, replica, rateLimits, mails, seal, log, now, expiryNow } = base;
  const { keyLeases, lastUsed, directoryRequests, cleanUp, pruner, timesBack } = upkeep;
  let isClosing = false;
  return {
    context: {
      region,
      store,
      ...(replica && { replica }),
      now,
      expiryNow,
      seal,
      log,
      rooms: { ...roomsOf(base, accounts, work), directoryRequests },
      keyLeases,
      onKeyUsed: (keyId) => lastUsed.record(keyId, Date.now()),
    },
    begin() {
      if (config.role === "api") return;
      void (ownFile?.marks.recorded ?? Promise.resolve()).then(() => {
        if (isClosing) return;
        void work.worker.begin();
        work.webhooks.start();
        work.events.start();
        work.schedules.begin();
        timesBack.begin();
        pruner.start();
      });
    },
    async close() {
      isClosing = true;
      await rateLimits.stop();
      keyLeases.stop();
      await pruner.stop();
      await timesBack.stop();
      await mails.stop();
      await work.schedules.stop();
      await work.signals.close();
      await work.worker.stop();
      await Promise.all([work.webhooks.stop(), work.events.stop()]);
      await accounts.healthChecks.stop();
      await accounts.limits.close();
      await cleanUp.stop();
      await ownFile?.marks.stop();
      await replica?.close();
      base.stopClocks();
      await store.close();
    },
    writeFailure: async () => (await ownFile?.marks.writeFailure()) ?? null,
    leave: () => ownFile?.leave(),
  };
}

/** What operations need of the rooms. What they wake may be another process. */
function roomsOf(
  base: RegionBase,
  { vault }: RegionAccounts,
  { events, webhooks, steps, wake, worker }: RegionWork,
): Omit<Rooms, "directoryRequests"> {
  const { config, region, store, pages, seal, inviteCodes, outbounds, compute, log, now } = base;
  const wakeDeliveries = () => wake("deliveries");
  const sso = createSso({
    store,
    region,
    keys: vault.keys,
    outbound: outbounds.identity,
    compute,
    privateOrigins: config.privateHosts.identity,
    baseUrl: pages.url,
    resolveTxt: resolveTxtByMachine,
    announce: announceChanges(wakeDeliveries),
    log,
    now,
  });
  return {
    log,
    limits: base.rateLimits,
    outbox: base.mails.outbox,
    inviteDays: config.inviteDays,
    inviteCodes,
    baseUrl: base.baseUrl,
    pages,
    sso,
    assistantDocuments: createAssistantDocuments(outbounds.identity, config.privateHosts.identity),
    vault,
    seal,
    steps,
    compute,
    runs: { ...worker, wake: () => wake("runs") },
    events: { ...events, queued: { ...events.queued, wake: () => wake("events") } },
    webhooks: { ...webhooks, deliveries: { ...webhooks.deliveries, wake: wakeDeliveries } },
    sandboxes: sandboxControlOf(config, outbounds.steps),
  };
}

/** Sandboxes at another address belong to somebody else: only our own are controlled from here. */
function sandboxControlOf(config: Config, outbound: Outbound): SandboxControl | null {
  const urls = config.sandboxes === "own" ? sandboxUrlsOf(config) : null;
  return urls && createSandboxControl(urls, outbound);
}
