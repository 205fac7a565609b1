import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { hasOrganizations } from "../access/audit/audit.ts";
import { createLastUsed } from "../access/callers/last-used.ts";
import { forgetOldSessions } from "../access/callers/sessions.ts";
import { createLoggedPost, createMailQueue, createQueuedPost } from "../access/mails/mails.ts";
import { sendBySmtp, sendToOperator } from "../access/mails/send-mail.ts";
import { keepUnsentMails } from "../access/mails/unsent-mails.ts";
import { createModels } from "../agents/models/providers.ts";
import type { RegionContext } from "../calls/call.ts";
import { forgetOldAnswers } from "../calls/idempotency.ts";
import { createKeyLeases, endAllKeyLeases } from "../calls/key-leases.ts";
import { createRateLimits } from "../calls/rate-limits.ts";
import { forgetOldChallenges } from "../identity/challenges.ts";
import { pagePlaceOf } from "../identity/page-origin.ts";
import { resolveTxtByMachine } from "../identity/sso/domains.ts";
import { forgetOldFlows } from "../identity/sso/flows.ts";
import { createSso } from "../identity/sso/sso.ts";
import type { Log, MailLog } from "../kernel/log.ts";
import type { Region } from "../kernel/regions.ts";
import type { Secret } from "../kernel/secret.ts";
import { createLimits, freeAllPlaces } from "../limits/limits.ts";
import { createWorker } from "../runs/queue/worker.ts";
import { forgetOldIntents } from "../runs/reconcile/write-intents.ts";
import { endAllLeases } from "../runs/runs.ts";
import { queueRun } from "../runs/start-run.ts";
import { skipMissed } from "../schedules/skip-missed.ts";
import { createScheduleClock } from "../schedules/start-due.ts";
import { countChecks } from "../steps/count-checks.ts";
import { type AtWork, beginWork } from "../store/at-work.ts";
import { type Store, StoreUnavailable } from "../store/db.ts";
import { followMarks, isPutBack, type Marks, noteRestored, readMark, type StoreMark } from "../store/marks.ts";
import { migrate } from "../store/migrate.ts";
import { giveUpReserve, isForLackOfRoom, keepReserve } from "../store/sqlite/disk-reserve.ts";
import { openSqlite } from "../store/sqlite/sqlite.ts";
import type { WaysOut } from "../transport/ways-out.ts";
import type { Compute } from "../untrusted/compute.ts";
import type { Surroundings } from "../vault/places.ts";
import { missingMasterKey, noteMasterKey, storeMasterKeyId } from "../vault/sealing/data-keys.ts";
import type { KeyRing } from "../vault/sealing/key-ring.ts";
import { createSeal } from "../vault/sealing/seal.ts";
import { endTokenLeases } from "../vault/tokens.ts";
import { createHealthChecks, createVault } from "../vault/vault.ts";
import { tellOfChanges } from "../webhooks/announce-changes.ts";
import { createWebhookRoom } from "../webhooks/room.ts";
import { tellOfRuns, toldOfConnections, toldOfLimits } from "./announce-to-webhooks.ts";
import { type Config, type OAuthClients, SettingRefused, sandboxUrlsOf } from "./config.ts";
import { regionSettings } from "./settings.ts";

export const sqliteFile = (config: Config, region: Region): string => join(config.home, `${region}.sqlite`);

const unsentMailsFile = (config: Config, region: Region): string => join(config.home, `${region}.unsent-mails.txt`);

export const lockFile = (config: Pick<Config, "home">, region: Region): string =>
  join(config.home, `${region}.at-work`);

export const markFile = (config: Pick<Config, "home">, region: Region): string => join(config.home, `${region}.epoch`);

const reserveFile = (config: Config, region: Region): string => join(config.home, `${region}.reserve`);

/** The region's database, with its schema up to date. */
export async function openStore(config: Config, region: Region): Promise<Store> {
  const url = config.databaseUrls[region];
  const store = url ? await openServer(url) : openFile(config, region);
  try {
    await migrate(store, new Date());
    return store;
  } catch (error) {
    await store.close().catch(() => {});
    throw isRefusedByServer(error)
      ? new SettingRefused(`${regionSettings.databaseUrl(region).name} cannot be used: ${error.message}.`)
      : error;
  }
}

// Most regions are files, and a process that serves only such ones is a good deal smaller without the other driver.
async function openServer(url: Secret): Promise<Store> {
  const { openPostgres } = await import("../store/postgres/postgres.ts");
  return openPostgres(url.reveal());
}

function openFile(config: Config, region: Region): Store {
  try {
    mkdirSync(config.home, { recursive: true, mode: 0o700 });
    return openWithRoom(config, region);
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    throw new SettingRefused(`The data folder ${config.home} (SIGNALBOX_HOME or --home) cannot be used: ${why}.`);
  }
}

function openWithRoom(config: Config, region: Region): Store {
  try {
    return openSqlite(sqliteFile(config, region));
  } catch (error) {
    if (!isForLackOfRoom(error) || !giveUpReserve(reserveFile(config, region))) throw error;
    return openSqlite(sqliteFile(config, region));
  }
}

// PostgreSQL's classes 28 and 3D: it answered, and knows no such user, password or database.
const isRefusedByServer = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && /^(28|3D)/.test(String(error.code));

const lastUsedEverySeconds = 10;
const cleanEverySeconds = 600;
const forgetLimitsEverySeconds = 6 * 3600;

export interface OpenRegion {
  context: RegionContext;
  /** Once the systems can be called: what waits or was cut off goes on. */
  begin(): void;
  /** Ends the background work, keeps what it still holds, and closes the store. */
  close(): Promise<void>;
  /** Why nothing can be written just now, or null. */
  whyNoWrites(): Promise<string | null>;
  /** Once none of its calls is under way any more: whoever starts next may take over what is open. */
  leave(): void;
}

/** One region at work: its store, and what goes on behind the requests. */
export async function openRegion(
  config: Config,
  region: Region,
  parts: {
    ring: KeyRing;
    waysOut: WaysOut;
    compute: Compute;
    log: Log;
    mailLog: MailLog;
    now: () => Date;
  },
): Promise<OpenRegion> {
  const { log, now } = parts;
  const store = await openStore(config, region);
  await refuseForeignKey(store, parts.ring);
  if (store.kind === "sqlite" && (await storeMasterKeyId(store)) === null) {
    await unlessFull(noteMasterKey(store, parts.ring, now()));
  }
  // Nodes on one server know of each other by their leases only.
  const onFile = store.kind === "sqlite" ? await beginOnFile(store, config, region, now) : null;
  const mark = await readMark(store);
  const restoredAt = onFile?.restoredAt ?? mark?.restoredAt ?? null;
  if (restoredAt !== null && (onFile?.restoredAt || isNews(restoredAt, mark, now()))) {
    log.warn({ region, restored_at: restoredAt }, restoredText);
  }
  const noWrites = await onFile?.marks.whyNoWrites();
  if (noWrites) log.warn({ region, reason: noWrites }, "only reads are answered until writes are possible again");
  const baseUrl = config.baseUrls[region];
  const pages = pagePlaceOf(baseUrl);
  const regionLog = log.child({ region });
  const seal = createSeal(parts.ring.current, parts.ring.find);
  const mails = config.smtpUrl
    ? createMailQueue({
        db: store,
        envelope: seal,
        send: sendBySmtp({ url: config.smtpUrl, from: config.mailFrom, baseUrl: pages.url }),
        log: regionLog,
        now,
      })
    : null;
  const unsent = keepUnsentMails(unsentMailsFile(config, region), pages.url, {
    now,
    failed: (error) => regionLog.warn({ err: error }, "mails that were not sent cannot be written to their file"),
  });
  const post = mails
    ? createQueuedPost(mails, seal)
    : createLoggedPost(sendToOperator(parts.mailLog, region, pages.url, unsent));

  const { ring, waysOut, compute } = parts;
  const outbound = waysOut.steps;
  // A region's own: what somebody does in one is no reason to refuse anybody in another.
  const limits = createRateLimits(config.rateLimits);
  const stepLimits = createLimits({ store, onExhausted: toldOfLimits(now) });
  const vault = createVault({
    store,
    ring,
    outbound,
    surroundings: surroundingsOf(config, region),
    now,
    log: regionLog,
    told: toldOfConnections(now),
    outboundFor: countChecks(outbound, stepLimits, now),
  });
  const healthChecks = createHealthChecks(vault, regionLog);
  const models = createModels(config.models, waysOut.models);
  const webhooks = createWebhookRoom({
    store,
    region,
    keys: vault.keys,
    outbound: waysOut.webhooks,
    compute,
    privateOrigins: config.privateHosts.webhooks,
    baseUrl,
    models,
    wakeRuns: () => worker.wake(),
    log: regionLog,
    now,
  });
  const steps = {
    store,
    vault,
    limits: stepLimits,
    outbound,
    now,
    sleep,
    random: Math.random,
    ...(config.settleSeconds !== null && { settleSeconds: config.settleSeconds }),
  };
  const worker = createWorker({
    ports: {
      ...steps,
      models,
      compute,
      leaseSeconds: config.leaseSeconds,
      restoredAt,
      onLeft: tellOfRuns(webhooks.deliveries.wake, now),
    },
    log: regionLog,
  });
  const sso = createSso({
    store,
    region,
    keys: vault.keys,
    outbound: waysOut.identity,
    compute,
    privateOrigins: config.privateHosts.identity,
    baseUrl: pages.url,
    resolveTxt: resolveTxtByMachine,
    tell: tellOfChanges(webhooks.deliveries.wake),
    log: regionLog,
    now,
  });
  const schedules = createScheduleClock({ store, region, compute, now, queueRun, wake: worker.wake, log: regionLog });

  const keyLeases = createKeyLeases({
    store,
    now,
    failed: (error) =>
      regionLog.warn({ err: error }, "renewing the leases of idempotency keys failed, will be tried again"),
  });
  const lastUsed = createLastUsed(store);
  const quietly = (work: () => Promise<void>) => () =>
    work().catch((error) => log.warn({ region, err: error }, "background work failed, will be tried again"));
  const timers = [
    setInterval(quietly(lastUsed.flush), lastUsedEverySeconds * 1000),
    setInterval(
      quietly(async () => {
        await forgetOldAnswers(store, now());
        await forgetOldIntents(store, now());
        await forgetOldSessions(store, now());
        await forgetOldFlows(store, now());
        await forgetOldChallenges(store, now());
      }),
      cleanEverySeconds * 1000,
    ),
  ];
  const forgetLimits = async () => void (await stepLimits.forgetOld());
  timers.push(setInterval(quietly(forgetLimits), forgetLimitsEverySeconds * 1000));
  for (const timer of timers) timer.unref();

  return {
    context: {
      region,
      store,
      now,
      seal,
      rooms: {
        limits,
        post,
        inviteDays: config.inviteDays,
        pages,
        sso,
        vault,
        steps,
        compute,
        runs: worker,
        webhooks,
      },
      keyLeases,
      onKeyUsed: (keyId) => lastUsed.note(keyId, Date.now()),
    },
    begin() {
      void worker.begin();
      webhooks.start();
      schedules.begin();
    },
    async close() {
      for (const timer of timers) clearInterval(timer);
      limits.stop();
      keyLeases.stop();
      await mails?.stop();
      await unsent.close();
      await schedules.stop();
      await worker.stop();
      await webhooks.stop();
      await healthChecks.stop();
      await stepLimits.close();
      await quietly(lastUsed.flush)();
      await onFile?.marks.stop();
      await store.close();
    },
    whyNoWrites: async () => (await onFile?.marks.whyNoWrites()) ?? null,
    leave: () => onFile?.leave(),
  };
}

/** A start on a full disk goes on with what can be read; the next one does what this one could not. */
async function unlessFull(work: Promise<void>): Promise<void> {
  await work.catch((error) => {
    if (!(error instanceof StoreUnavailable && error.reason === "full")) throw error;
  });
}

/** A store that is a file, while this process is at work on it. */
interface OnFile {
  marks: Marks;
  /** Where this very start has found that the store was put back from a backup. */
  restoredAt: string | null;
  leave(): void;
}

async function beginOnFile(store: Store, config: Config, region: Region, now: () => Date): Promise<OnFile> {
  const lock = lockFile(config, region);
  const file = markFile(config, region);
  let restoredAt: string | null = null;
  let atWork: AtWork;
  try {
    atWork = await beginWork(lock, async () => {
      if (await isPutBack(store, file, async () => !(await hasOrganizations(store)))) {
        restoredAt = now().toISOString();
        // Where there is no room to note it, this process knows it all the same, and the next start finds it again.
        await unlessFull(noteRestored(store, now()));
        await unlessFull(skipMissed(store, now()));
      }
      await unlessFull(endAllLeases(store, now()));
      await unlessFull(store.transaction(endTokenLeases));
      await unlessFull(store.transaction(endAllKeyLeases));
      await unlessFull(freeAllPlaces(store));
    });
  } catch (error) {
    await store.close();
    throw new SettingRefused(`The file ${lock} cannot be locked: ${error instanceof Error ? error.message : error}.`);
  }
  keepReserve(reserveFile(config, region));
  return { marks: followMarks(store, file, now), restoredAt, leave: () => atWork.leave() };
}

const newsMilliseconds = 86_400_000;

/** Said by the first start after it; nodes on one server cannot tell which of them is the first, so each says it for a day. */
const isNews = (restoredAt: string, mark: StoreMark | null, now: Date): boolean =>
  restoredAt >= (mark?.markedAt ?? "") && now.getTime() - Date.parse(restoredAt) < newsMilliseconds;

const restoredText =
  "the store was restored from a backup: writes of runs that were open then are looked for, and wait for a person where nobody can tell; schedules do not make up for missed times";

/** A node that lost its key must not go on with another: it could open nothing, and would seal beside the others. */
async function refuseForeignKey(store: Store, ring: KeyRing): Promise<void> {
  const missing = await missingMasterKey(store, ring);
  if (missing === null) return;
  await store.close();
  throw new SettingRefused(
    `The secrets in this store hang on the master key ${missing}, and this one is ${ring.current.id}. Set SIGNALBOX_MASTER_KEY (or put master.key back into the data folder); while the key is replaced, set SIGNALBOX_MASTER_KEY_OLD too.`,
  );
}

export const surroundingsOf = (config: Config, region: Region): Surroundings => ({
  region,
  sandboxes: sandboxUrlsOf(config),
  clients: clientsOf(config.oauthClients[region]),
  redirectUri: `${config.baseUrls[region]}/oauth/callback`,
  privateOrigins: config.privateHosts.steps,
});

const clientsOf = ({ deployment, analytics }: OAuthClients): Surroundings["clients"] => ({
  ...(deployment && { deployment: { ...deployment, secret: deployment.secret.reveal() } }),
  ...(analytics && { analytics: { ...analytics, secret: analytics.secret.reveal() } }),
});

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
