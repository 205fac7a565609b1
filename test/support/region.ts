import { createDirectoryRequests } from "../../src/access/directory/recent-requests.ts";
import { createQueuedOutbox } from "../../src/access/mails/mail-queue.ts";
import { createEventRoom } from "../../src/agents/events/event-room.ts";
import { createAgentWorker } from "../../src/agents/loop/loop.ts";
import type { ModelSettings } from "../../src/agents/models/model.ts";
import { createModels } from "../../src/agents/models/providers.ts";
import { createKeyLeases } from "../../src/calls/idempotency-leases.ts";
import type { PolicySettings } from "../../src/calls/rate-limits/default-quotas.ts";
import { createRateLimits } from "../../src/calls/rate-limits/rate-limiter.ts";
import { shareLimits } from "../../src/calls/rate-limits/shared-counts/shared-counts.ts";
import type { RegionContext } from "../../src/calls/region-context.ts";
import { createAssistantDocuments } from "../../src/identity/assistant-documents.ts";
import { pageOriginOf } from "../../src/identity/page-origin.ts";
import { createSso } from "../../src/identity/sso/sso.ts";
import type { ElapsedTime } from "../../src/kernel/elapsed-time.ts";
import { createLog, type Log } from "../../src/kernel/log.ts";
import type { Region } from "../../src/kernel/regions.ts";
import { createLimits } from "../../src/limits/limits.ts";
import type { LimitClock } from "../../src/limits/state/clock.ts";
import { createRunMemory, type RunMemory } from "../../src/runs/queue/run-memory.ts";
import { createWorker } from "../../src/runs/worker/worker.ts";
import { announceConnections, announceLimits, announceRuns } from "../../src/start/region/announce-to-webhooks.ts";
import type { SandboxUrls } from "../../src/start/settings/read-setting-values.ts";
import { countChecks } from "../../src/steps/count-account-checks.ts";
import { openExpiryClock } from "../../src/store/clock/expiry-clock.ts";
import type { Store } from "../../src/store/db.ts";
import type { Resolve } from "../../src/transport/address-guard.ts";
import { createOutboundByUse } from "../../src/transport/outbound-by-use.ts";
import { type PrivateHost, type Use, uses } from "../../src/transport/private-hosts.ts";
import { createSandboxControl } from "../../src/transport/sandbox-control.ts";
import { type Compute, type ComputeOptions, createCompute } from "../../src/untrusted/compute.ts";
import { createInviteCodes } from "../../src/vault/sealing/hide-invite-codes.ts";
import { keyRingOf, masterKeyFrom } from "../../src/vault/sealing/key-ring.ts";
import { createSeal } from "../../src/vault/sealing/seal.ts";
import type { VaultConfig } from "../../src/vault/system-addresses.ts";
import { createVault } from "../../src/vault/vault.ts";
import { announceChanges } from "../../src/webhooks/announce-changes.ts";
import { createWebhookRoom } from "../../src/webhooks/webhook-room.ts";
import { noModelSettings } from "./runs/models.ts";
import { cleanUpLater, newStore, type StoreKind } from "./stores.ts";

export const baseUrls = { us: "http://us.test", eu: "http://eu.test", au: "http://au.test" };

export interface RegionOptions {
  region?: Region;
  rateLimits?: PolicySettings;
  store?: Store;
  inviteDays?: number;
  log?: Log;
  sandboxes?: SandboxUrls;
  clients?: VaultConfig["clients"];
  /** Other servers of the test that may be called, whatever for. */
  privateOrigins?: string[];
  /** The same for one use each. */
  privateHosts?: Partial<Record<Use, PrivateHost[]>>;
  /** How names become addresses; the machine's own way by default. */
  resolve?: Resolve;
  /** Where the region says it is, for a test that really listens there. */
  baseUrl?: string;
  /** Where it says that other regions are. */
  otherUrls?: Partial<Record<Region, string>>;
  /** Other budgets for untrusted computing than the usual ones. */
  compute?: ComputeOptions;
  /** Other caps on what runs keep in memory than the usual ones. */
  runMemory?: RunMemory;
  /** What agents ask; by default one that answers nothing. Where it is stands among `privateOrigins`. */
  models?: ModelSettings;
  /** How long systems may still be at work after an answer was lost; 10 by default. */
  settleSeconds?: number | "each system's own";
  /** Counts rate limits together with other nodes on the same PostgreSQL. */
  sharesLimits?: boolean;
  /** Stands still until the test advances it, for rules that count seconds: a slow machine changes nothing. */
  clock?: "still";
  /** Expiry follows the clock in the store, by this steady time. By default it follows the clock of the test, however far that is advanced. */
  expiryTime?: ElapsedTime;
  /** The clock of the external systems' limits, which is the database's on PostgreSQL otherwise. */
  limitClock?: LimitClock;
}

/** A region as a test opens it, with what its test may look at or move. */
export interface TestRegion {
  context: RegionContext;
  ownUrls: Record<Region, string>;
  /** What the DNS says, as far as this region asks it: the TXT records of domains. */
  txtRecords: Map<string, string[]>;
  logged: string[];
  advance(seconds: number): void;
}

/** A region that could send people to the live consent pages; no test opens them. */
const testClients: VaultConfig["clients"] = {
  deployment: { id: "oac_test", secret: "not a secret", slug: "signalbox-test" },
  analytics: { id: "test.apps.example.com", secret: "not a secret" },
};

const masterKey = masterKeyFrom(Buffer.alloc(32, 7).toString("base64"));
/** For tests that look into what a region has sealed. */
export const testSeal = createSeal(masterKey);

/** At an address that nothing may be sent to: the run of an agent fails at once, and says so. */
const silentModel: ModelSettings = {
  ...noModelSettings,
  openai: { baseUrl: "https://127.0.0.1/v1", apiKey: null },
  defaultModel: "openai:silent",
};

/** All rooms of a region over a real store, with a clock of its own. Rate limits are off unless a test wants them. */
export async function openTestRegion(kind: StoreKind, options: RegionOptions): Promise<TestRegion> {
  const region = options.region ?? "us";
  const store = options.store ?? (await newStore(kind));
  const ownUrls = { ...baseUrls, ...options.otherUrls, ...(options.baseUrl && { [region]: options.baseUrl }) };
  const logged: string[] = [];
  const output = { write: (line: string) => void logged.push(line) };
  let offsetSeconds = 0;
  // A whole number: sums of seconds are then exact, and a wait of two seconds is over after two.
  const start = { date: Date.now(), monotonic: Math.floor(performance.now()) };
  const clock = () => (options.clock === "still" ? start : { date: Date.now(), monotonic: performance.now() });
  const monotonic = () => clock().monotonic + offsetSeconds * 1000;
  const sharing = options.sharesLimits ? shareLimits(store, createLog("debug", output)) : null;
  const limits = createRateLimits(options.rateLimits ?? "off", monotonic, sharing);
  const now = () => new Date(clock().date + offsetSeconds * 1000);
  const log = options.log ?? createLog("debug", output);
  const expiry = options.expiryTime && (await openExpiryClock(store, now, log, options.expiryTime));
  const ring = keyRingOf(masterKey);
  const hostsFor = (use: Use): PrivateHost[] => [
    ...(options.privateOrigins ?? []),
    ...(options.privateHosts?.[use] ?? []),
  ];
  const privateHosts = Object.fromEntries(uses.map((use) => [use, hostsFor(use)])) as Record<Use, PrivateHost[]>;
  const outbounds = createOutboundByUse(privateHosts, { ...options.sandboxes }, log, options.resolve);
  const outbound = outbounds.steps;
  const compute = options.compute ? createCompute({ processes: 2, ...options.compute }) : commonCompute();
  const config: VaultConfig = {
    region,
    sandboxes: options.sandboxes ?? null,
    clients: options.clients ?? testClients,
    // The sandboxes send people back to this machine only.
    redirectUri: `${options.baseUrl ?? (options.sandboxes ? "http://127.0.0.1:4100" : baseUrls[region])}/oauth/callback`,
    privateOrigins: privateHosts.steps,
  };
  const stepLimits = createLimits({
    store,
    onExhausted: announceLimits(now),
    ...(options.limitClock && { clock: options.limitClock, time: "own" }),
  });
  const outboundFor = countChecks(outbound, stepLimits, now);
  const inviteCodes = createInviteCodes({ store, ring, now });
  await inviteCodes.refresh();
  const vault = createVault({
    store,
    ring,
    outbound,
    config,
    now,
    leaseNow: async () => now(),
    log,
    events: announceConnections(now),
    outboundFor,
  });
  const settles = options.settleSeconds === "each system's own" ? {} : { settleSeconds: options.settleSeconds ?? 10 };
  const memory = options.runMemory ?? createRunMemory();
  const { answerTime } = compute;
  const calling = { store, vault, limits: stepLimits, outbound, now, sleep, random: Math.random };
  const steps = { ...calling, memory, answerTime, ...settles };
  const models = createModels(options.models ?? silentModel, outbounds.models);
  const worker = createWorker({
    ports: {
      ...steps,
      agents: createAgentWorker(models),
      compute,
      leaseSeconds: 30,
      onLeft: announceRuns(() => {}, now),
    },
    log,
    pollSeconds: 3600,
  });
  await worker.begin();
  const events = createEventRoom({
    store,
    region,
    keys: vault.keys,
    compute,
    baseUrl: ownUrls[region],
    models,
    vault,
    wakeRuns: () => worker.wake(),
    log,
    now,
  });
  const webhooks = createWebhookRoom({
    store,
    keys: vault.keys,
    inviteCodes,
    outbound: outbounds.webhooks,
    privateOrigins: privateHosts.webhooks,
    log,
    now,
  });
  const txtRecords = new Map<string, string[]>();
  const sso = createSso({
    store,
    region,
    keys: vault.keys,
    outbound: outbounds.identity,
    compute,
    privateOrigins: privateHosts.identity,
    baseUrl: pageOriginOf(ownUrls[region]).url,
    resolveTxt: async (domain) => (txtRecords.get(domain) ?? []).map((record) => [record]),
    announce: announceChanges(() => {}),
    log,
    now,
  });
  const keyLeases = createKeyLeases({ store, now, failed: (error) => log.warn({ err: error }) });
  const context: RegionContext = {
    region,
    store,
    now,
    expiryNow: expiry?.now ?? now,
    seal: testSeal,
    log,
    rooms: {
      log,
      limits,
      outbox: createQueuedOutbox({ wake: () => {} }, testSeal),
      inviteDays: options.inviteDays ?? 7,
      inviteCodes,
      baseUrl: ownUrls[region],
      pages: pageOriginOf(ownUrls[region]),
      sso,
      assistantDocuments: createAssistantDocuments(outbounds.identity, privateHosts.identity),
      vault,
      seal: testSeal,
      steps,
      compute,
      runs: worker,
      directoryRequests: createDirectoryRequests(store),
      sandboxes: options.sandboxes ? createSandboxControl(options.sandboxes, outbound) : null,
      // Tests say when it is time.
      events: { ...events, queued: { ...events.queued, wake: () => {} } },
      webhooks: { ...webhooks, deliveries: { ...webhooks.deliveries, wake: () => {} } },
    },
    keyLeases,
    onKeyUsed: () => {},
  };
  cleanUpLater(async () => {
    await Promise.all([webhooks.stop(), events.stop()]);
    await worker.stop();
    await stepLimits.close();
    await outbounds.close();
    if (options.compute) await compute.close();
    await limits.stop();
    keyLeases.stop();
    expiry?.stop();
  });
  return {
    context,
    ownUrls,
    txtRecords,
    logged,
    advance: (seconds) => {
      offsetSeconds += seconds;
    },
  };
}

let common: Compute | null = null;

/** Its processes take longer to start than most tests: all apps share them. Budgets are those of an organization, and so of a test. */
function commonCompute(): Compute {
  common ??= createCompute({ processes: 2 });
  return common;
}

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
