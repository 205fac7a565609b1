import { createLastUsed } from "../../access/callers/last-used.ts";
import { createDirectoryRequests } from "../../access/directory/recent-requests.ts";
import { createEventRoom } from "../../agents/events/event-room.ts";
import { createAgentWorker } from "../../agents/loop/loop.ts";
import { createModels } from "../../agents/models/providers.ts";
import { createKeyLeases } from "../../calls/idempotency-leases.ts";
import { createRateLimits } from "../../calls/rate-limits/rate-limiter.ts";
import { shareLimits } from "../../calls/rate-limits/shared-counts/shared-counts.ts";
import type { RegionContext } from "../../calls/region-context.ts";
import { createAssistantDocuments } from "../../identity/assistant-documents.ts";
import { pageOriginOf } from "../../identity/page-origin.ts";
import { resolveTxtByMachine } from "../../identity/sso/domains.ts";
import { createSso } from "../../identity/sso/sso.ts";
import type { Log, MailLog } from "../../kernel/log.ts";
import type { RegionMeter } from "../../kernel/meter.ts";
import type { Region } from "../../kernel/regions.ts";
import { createLimits } from "../../limits/limits.ts";
import { createPruner } from "../../retention/pruner.ts";
import type { RunMemory } from "../../runs/queue/run-memory.ts";
import { queueRun } from "../../runs/queue/start-run.ts";
import { createWorker } from "../../runs/worker/worker.ts";
import { createScheduleClock } from "../../schedules/start-due.ts";
import { countChecks } from "../../steps/count-account-checks.ts";
import { noSignals, type Signal } from "../../store/signals.ts";
import type { Outbound } from "../../transport/outbound.ts";
import type { OutboundByUse } from "../../transport/outbound-by-use.ts";
import { createSandboxControl, type SandboxControl } from "../../transport/sandbox-control.ts";
import type { Compute } from "../../untrusted/compute.ts";
import { createInviteCodes } from "../../vault/sealing/hide-invite-codes.ts";
import type { KeyRing } from "../../vault/sealing/key-ring.ts";
import { createSeal } from "../../vault/sealing/seal.ts";
import type { VaultConfig } from "../../vault/system-addresses.ts";
import { createHealthChecks, createVault } from "../../vault/vault.ts";
import { announceChanges } from "../../webhooks/announce-changes.ts";
import { createWebhookRoom } from "../../webhooks/webhook-room.ts";
import { type Config, type OAuthClients, sandboxUrlsOf } from "../settings/config.ts";
import { announceConnections, announceLimits, announceRuns } from "./announce-to-webhooks.ts";
import { startCleanUp } from "./delete-expired.ts";
import { openReplica, openSignals } from "./open-database.ts";
import { openRegionStore } from "./open-region-store.ts";
import { openMails } from "./region-mails.ts";
import { unlessFull } from "./take-over-file.ts";

export interface OpenRegion {
  context: RegionContext;
  /** Call it once the systems can be called: waiting and interrupted work continues. */
  begin(): void;
  /** Stops the background work, saves what it still holds, and closes the store. */
  close(): Promise<void>;
  /** Why writes fail at the moment, or null. */
  writeFailure(): Promise<string | null>;
  /** Call it after the last call has ended: the next process may then take over open work. */
  leave(): void;
}

/** Opens one region: its store and its background work. */
export async function openRegion(
  config: Config,
  region: Region,
  parts: {
    ring: KeyRing;
    outbounds: OutboundByUse;
    compute: Compute;
    runMemory: RunMemory;
    log: Log;
    mailLog: MailLog;
    now: () => Date;
    meter: RegionMeter;
  },
): Promise<OpenRegion> {
  const { log, now, meter } = parts;
  const regionLog = log.child({ region });
  const { store, ownFile, restoredAt } = await openRegionStore(config, region, { ...parts, log: regionLog });
  const baseUrl = config.baseUrls[region];
  const pages = pageOriginOf(baseUrl);
  const replica = await openReplica(config, region, { primary: store, log: regionLog, meter });
  const seal = createSeal(parts.ring.current, parts.ring.find);
  const inviteCodes = createInviteCodes({ store, ring: parts.ring, now });
  await unlessFull(inviteCodes.refresh());
  const mails = openMails(config, region, {
    store,
    seal,
    baseUrl: pages.url,
    log: regionLog,
    mailLog: parts.mailLog,
    now,
    meter,
  });
  const { ring, outbounds, compute } = parts;
  const outbound = outbounds.steps;
  // Per region: calls in one region do not count against callers in another.
  // Nodes on one database count together; a process on a file of its own counts in memory.
  const sharing = store.kind === "postgres" && config.rateLimits !== "off" ? shareLimits(store, regionLog) : null;
  const limits = createRateLimits(config.rateLimits, undefined, sharing);
  const stepLimits = createLimits({ store, log: regionLog, isHistoryKept: true, onExhausted: announceLimits(now) });
  const vault = createVault({
    store,
    ring,
    outbound,
    config: vaultConfigOf(config, region),
    now,
    log: regionLog,
    events: announceConnections(now),
    outboundFor: countChecks(outbound, stepLimits, now),
    meter,
  });
  const healthChecks = createHealthChecks(vault, regionLog);
  const models = createModels(config.models, outbounds.models);
  const events = createEventRoom({
    store,
    region,
    keys: vault.keys,
    compute,
    baseUrl,
    models,
    vault,
    wakeRuns: () => wake("runs"),
    log: regionLog,
    now,
    meter,
  });
  const webhooks = createWebhookRoom({
    store,
    keys: vault.keys,
    inviteCodes,
    outbound: outbounds.webhooks,
    privateOrigins: config.privateHosts.webhooks,
    log: regionLog,
    now,
    meter,
  });
  const steps = {
    store,
    vault,
    limits: stepLimits,
    outbound,
    now,
    sleep,
    random: Math.random,
    memory: parts.runMemory,
    answerTime: compute.answerTime,
    meter,
    ...(config.settleSeconds !== null && { settleSeconds: config.settleSeconds }),
  };
  const isApi = config.role === "api";
  const wakeHere: Record<Signal, () => void> = {
    runs: () => worker.wake(),
    deliveries: webhooks.deliveries.wake,
    events: events.queued.wake,
  };
  const databaseUrl = config.databaseUrls[region];
  const heard = isApi ? null : (signal: Signal) => wakeHere[signal]?.();
  const signals = databaseUrl
    ? await openSignals({ url: databaseUrl.reveal(), db: store, heard, log: regionLog })
    : noSignals;
  /** Wakes who does such work: this process, or the workers among the nodes. */
  const wake = (signal: Signal): void => (isApi ? signals.send(signal) : wakeHere[signal]());
  const wakeDeliveries = () => wake("deliveries");
  const worker = createWorker({
    ports: {
      ...steps,
      agents: createAgentWorker(models),
      compute,
      leaseSeconds: config.leaseSeconds,
      restoredAt,
      onLeft: announceRuns(wakeDeliveries, now),
    },
    log: regionLog,
    takesRuns: !isApi,
    onQueued: () => signals.send("runs"),
  });
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
    log: regionLog,
    now,
  });
  const schedules = createScheduleClock({ store, region, compute, now, queueRun, wake: worker.wake, log: regionLog });

  const keyLeases = createKeyLeases({
    store,
    now,
    failed: (error) =>
      regionLog.warn({ err: error }, "renewing the leases of idempotency keys failed and will be retried"),
  });
  const lastUsed = createLastUsed(store);
  const directoryRequests = createDirectoryRequests(store);
  const cleanUp = startCleanUp({
    store,
    limits: stepLimits,
    inviteCodes,
    flushOften: [lastUsed.flush, directoryRequests.flush, events.refusals.flush],
    log: regionLog,
    now,
  });

  const pruner = createPruner({
    store,
    region,
    seal: vault.keys,
    archiveFolder: config.archiveFolder,
    log: regionLog,
    now,
  });

  return {
    context: {
      region,
      store,
      ...(replica && { replica }),
      now,
      seal,
      log: regionLog,
      rooms: {
        log: regionLog,
        limits,
        outbox: mails.outbox,
        inviteDays: config.inviteDays,
        inviteCodes,
        baseUrl,
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
        directoryRequests,
        sandboxes: sandboxControlOf(config, outbound),
      },
      keyLeases,
      onKeyUsed: (keyId) => lastUsed.record(keyId, Date.now()),
    },
    begin() {
      if (isApi) return;
      void worker.begin();
      webhooks.start();
      events.start();
      schedules.begin();
      pruner.start();
    },
    async close() {
      await limits.stop();
      keyLeases.stop();
      await pruner.stop();
      await mails.stop();
      await schedules.stop();
      await signals.close();
      await worker.stop();
      await Promise.all([webhooks.stop(), events.stop()]);
      await healthChecks.stop();
      await stepLimits.close();
      await cleanUp.stop();
      await ownFile?.marks.stop();
      await replica?.close();
      await store.close();
    },
    writeFailure: async () => (await ownFile?.marks.writeFailure()) ?? null,
    leave: () => ownFile?.leave(),
  };
}

export const vaultConfigOf = (config: Config, region: Region): VaultConfig => ({
  region,
  sandboxes: sandboxUrlsOf(config),
  clients: clientsOf(config.oauthClients[region]),
  redirectUri: `${config.baseUrls[region]}/oauth/callback`,
  privateOrigins: config.privateHosts.steps,
});

const clientsOf = (clients: OAuthClients): VaultConfig["clients"] =>
  Object.fromEntries(
    Object.entries(clients).map(([system, client]) => [system, { ...client, secret: client.secret.reveal() }]),
  );

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Sandboxes at another address belong to somebody else: only our own are controlled from here. */
function sandboxControlOf(config: Config, outbound: Outbound): SandboxControl | null {
  const urls = config.sandboxes === "own" ? sandboxUrlsOf(config) : null;
  return urls && createSandboxControl(urls, outbound);
}
