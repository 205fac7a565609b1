import inject from "light-my-request";
import { inject as provided } from "vitest";
import { createDirectoryRequests } from "../../src/access/directory/requests.ts";
import { readEmail } from "../../src/access/email.ts";
import { createQueuedOutbox } from "../../src/access/mails/mails.ts";
import { createAccountAsOperator, operatorScope } from "../../src/access/operator.ts";
import type { PermissionsOnTheWire } from "../../src/access/permissions.ts";
import { createAgentWorker } from "../../src/agents/loop/loop.ts";
import type { ModelSettings } from "../../src/agents/models/model.ts";
import { createModels } from "../../src/agents/models/providers.ts";
import { operations } from "../../src/api/index.ts";
import { createKeyLeases } from "../../src/calls/key-leases.ts";
import { createRateLimits, type PolicySettings } from "../../src/calls/rate-limits.ts";
import type { RegionContext } from "../../src/calls/region-context.ts";
import { shareLimits } from "../../src/calls/shared-counts/shared-counts.ts";
import { type ConsoleFile, readConsole } from "../../src/http/console/files.ts";
import { createEdge, type Edge } from "../../src/http/edge/edge.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import { createServer } from "../../src/http/server.ts";
import { createAssistantDocuments } from "../../src/identity/assistant-documents.ts";
import { pageOriginOf } from "../../src/identity/page-origin.ts";
import { createSso } from "../../src/identity/sso/sso.ts";
import { createLog, createRequestLog, type Log } from "../../src/kernel/log.ts";
import type { Region } from "../../src/kernel/regions.ts";
import { createLimits } from "../../src/limits/limits.ts";
import { createMcp } from "../../src/mcp/create-mcp.ts";
import { createRunMemory, type RunMemory } from "../../src/runs/engine/run-memory.ts";
import { createWorker } from "../../src/runs/queue/worker.ts";
import { createScim } from "../../src/scim/create-scim.ts";
import { announceConnections, announceLimits, announceRuns } from "../../src/start/announce-to-webhooks.ts";
import type { SandboxUrls } from "../../src/start/setting-values.ts";
import { countChecks } from "../../src/steps/count-checks.ts";
import type { Store } from "../../src/store/db.ts";
import type { Resolve } from "../../src/transport/address-guard.ts";
import { createOutboundByUse } from "../../src/transport/outbound-by-use.ts";
import { type PrivateHost, type Use, uses } from "../../src/transport/private-hosts.ts";
import { createSandboxControl } from "../../src/transport/sandbox-control.ts";
import { type Compute, type ComputeOptions, createCompute } from "../../src/untrusted/compute.ts";
import type { VaultConfig } from "../../src/vault/endpoint.ts";
import { createInviteCodes } from "../../src/vault/sealing/invite-codes.ts";
import { keyRingOf, masterKeyFrom } from "../../src/vault/sealing/key-ring.ts";
import { createSeal } from "../../src/vault/sealing/seal.ts";
import { createVault } from "../../src/vault/vault.ts";
import { announceChanges } from "../../src/webhooks/announce-changes.ts";
import { createWebhookRoom } from "../../src/webhooks/webhook-room.ts";
import { noModelSettings } from "./models.ts";
import { cleanUpLater, newStore, type StoreKind } from "./stores.ts";

/** Someone with an account, as a test sees them. */
export interface TestPerson {
  email: string;
  userId: string;
  organizationId: string;
  apiKey: string;
}

export interface TestAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members it expects.
  body: any;
  text: string;
  headers: Record<string, string | string[] | number | undefined>;
}

export interface CallOptions {
  /** Whose key; or give the whole header as `authorization`. */
  as?: TestPerson;
  project?: string;
  authorization?: string | undefined;
  headers?: Record<string, string>;
  /** The address the call comes from. */
  from?: string;
}

export interface TestApp {
  app: ReturnType<typeof createServer>;
  store: Store;
  context: RegionContext;
  edge: Edge;
  /** What the DNS says, as far as this app asks it: the TXT records of domains. */
  txtRecords: Map<string, string[]>;
  /** The lines logged so far. */
  logged: string[];
  /** Moves the clock that rules see. */
  advance(seconds: number): void;
  now(): Date;
  /** An account in the organization of `colleague`, or in a new one of its own. */
  person(email: string, colleague?: TestPerson): Promise<TestPerson>;
  /** POST /latest/<operation>, in memory. */
  call(operation: string, body: unknown, options?: CallOptions): Promise<TestAnswer>;
  /** A project of the person's organization, made by them; answers its id. */
  project(owner: TestPerson, name?: string): Promise<string>;
}

export const baseUrls = { us: "http://us.test", eu: "http://eu.test", au: "http://au.test" };

export const permissions = (...actions: string[]): PermissionsOnTheWire => ({
  items: { platformDefault: { actions: Object.fromEntries(actions.map((action) => [action, true])) } },
});

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

/** One region over a real store, called in memory, with a clock of its own. Rate limits are off unless a test wants them. */
export async function startApp(
  kind: StoreKind,
  options: {
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
    /** Where a test wants to come to the end of what one machine takes. */
    edge?: Partial<Parameters<typeof createEdge>[0]>;
  } = {},
): Promise<TestApp> {
  const region = options.region ?? "us";
  const store = options.store ?? (await newStore(kind));
  const ownUrls = { ...baseUrls, ...options.otherUrls, ...(options.baseUrl && { [region]: options.baseUrl }) };
  const logged: string[] = [];
  const output = { write: (line: string) => void logged.push(line) };
  let offsetSeconds = 0;
  const start = { date: Date.now(), monotonic: performance.now() };
  const clock = () => (options.clock === "still" ? start : { date: Date.now(), monotonic: performance.now() });
  const monotonic = () => clock().monotonic + offsetSeconds * 1000;
  const sharing = options.sharesLimits ? shareLimits(store, createLog("debug", output)) : null;
  const limits = createRateLimits(options.rateLimits ?? "off", monotonic, sharing);
  const now = () => new Date(clock().date + offsetSeconds * 1000);
  const log = options.log ?? createLog("debug", output);
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
  const stepLimits = createLimits({ store, onExhausted: announceLimits(now) });
  const outboundFor = countChecks(outbound, stepLimits, now);
  const events = announceConnections(now);
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
    events,
    outboundFor,
  });
  const settles = options.settleSeconds === "each system's own" ? {} : { settleSeconds: options.settleSeconds ?? 10 };
  const memory = options.runMemory ?? createRunMemory();
  const steps = { store, vault, limits: stepLimits, outbound, now, sleep, random: Math.random, memory, ...settles };
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
  const webhooks = createWebhookRoom({
    store,
    region,
    keys: vault.keys,
    inviteCodes,
    outbound: outbounds.webhooks,
    compute,
    privateOrigins: privateHosts.webhooks,
    baseUrl: ownUrls[region],
    models,
    vault,
    wakeRuns: () => worker.wake(),
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
    seal: testSeal,
    log,
    rooms: {
      log,
      limits,
      outbox: createQueuedOutbox({ wake: () => {} }, testSeal),
      inviteDays: options.inviteDays ?? 7,
      inviteCodes,
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
      webhooks: {
        ...webhooks,
        deliveries: { ...webhooks.deliveries, wake: () => {} },
        queued: { ...webhooks.queued, wake: () => {} },
      },
    },
    keyLeases,
    onKeyUsed: () => {},
  };
  const edge = createEdge({
    connectionsMax: 10_000,
    connectionsPerAddressMax: 1_000,
    trustedProxies: [],
    ...options.edge,
  });
  const app = createServer({
    context,
    baseUrls: ownUrls,
    log,
    requestLog: createRequestLog("debug", output),
    metrics: createMetrics(),
    edge,
    trustedProxies: [],
    notReady: async () => null,
    consoleFiles: builtConsole,
    scim: createScim({ context, baseUrl: ownUrls[region] }),
    assistants: createMcp({ context, baseUrl: ownUrls[region] }),
  });
  let hasStarted = false;
  app.addHook("onReady", async () => {
    hasStarted = true;
  });
  cleanUpLater(async () => {
    // Before it can be closed it would start, which takes longer than most tests.
    if (hasStarted) await app.close();
    else webhooks.live.close();
    await webhooks.stop();
    await worker.stop();
    await stepLimits.close();
    await outbounds.close();
    if (options.compute) await compute.close();
    await limits.stop();
    keyLeases.stop();
  });

  async function call(operation: string, body: unknown, wanted: CallOptions = {}): Promise<TestAnswer> {
    const authorization =
      wanted.authorization ?? (wanted.as ? `Bearer ${wanted.project ?? ""}:${wanted.as.apiKey}` : undefined);
    const url = `/latest/${operation}`;
    const wish = {
      method: "POST",
      url,
      ...(wanted.from === undefined ? {} : { remoteAddress: wanted.from }),
      headers: {
        "content-type": "application/json",
        ...(authorization === undefined ? {} : { authorization }),
        ...wanted.headers,
      },
      payload: typeof body === "string" ? body : JSON.stringify(body),
    } as const;
    const response = isServedAhead(url)
      ? await inject((request, reply) => void app.server.emit("request", request, reply), wish)
      : await app.inject(wish);
    const isJson = String(response.headers["content-type"]).includes("json");
    return {
      status: response.statusCode,
      body: isJson ? JSON.parse(response.body) : response.body,
      text: response.body,
      headers: response.headers,
    };
  }

  return {
    app,
    store,
    context,
    txtRecords,
    edge,
    logged,
    advance: (seconds) => {
      offsetSeconds += seconds;
    },
    now,
    async person(address, colleague) {
      const email = readEmail(address);
      if (!email) throw new Error(`${address} is no address.`);
      const { user, apiKey } = await createAccountAsOperator(operatorScope(store, region, now), {
        email,
        organizationId: colleague?.organizationId,
      });
      return { email: address, userId: user.id, organizationId: user.organizationId, apiKey };
    },
    call,
    async project(owner, name = "A project") {
      const wanted = { name, description: "", organization_id: owner.organizationId };
      const { status, body, text } = await call("projects/create", wanted, { as: owner });
      if (status !== 200) throw new Error(`No project: ${text}`);
      return body.project_id;
    },
  };
}

/** The usual spellings of paths without an id, or with one before the last word: the server serves these before its framework starts. */
const servedAhead = operations
  .filter(({ path }) => /^[^{]+(?:\/\{\w+\}\/\w+)?$/.test(path))
  .map(({ path }) => new RegExp(`^${path.replace(/\{\w+\}/, "[\\w-]{1,128}")}$`));
const isServedAhead = (url: string): boolean => servedAhead.some((shape) => shape.test(url));

let common: Compute | null = null;

/** Its processes take longer to start than most tests: all apps share them. Budgets are those of an organization, and so of a test. */
function commonCompute(): Compute {
  common ??= createCompute({ processes: 2 });
  return common;
}

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

let consoleFiles: Map<string, ConsoleFile> | null = null;

/** The console as it is built before the tests; read when a page is first asked for. */
const builtConsole = (): Map<string, ConsoleFile> => {
  consoleFiles ??= readConsole(provided("consoleFolder"));
  return consoleFiles;
};
