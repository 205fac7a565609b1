import { createRateLimits } from "./api/rate-limits.ts";
import { type Config, portOf, SettingRefused, sandboxPortOf, sandboxUrlsOf } from "./config.ts";
import { noteSandboxes, setUpRegion } from "./first-run.ts";
import { createMetrics } from "./http/metrics.ts";
import { createServer } from "./http/server.ts";
import type { Log, RequestLog } from "./kernel/log.ts";
import { type OpenRegion, openRegion } from "./open-region.ts";
import { type OwnSandboxes, startOwnSandboxes } from "./own-sandboxes.ts";
import { ping, type Store } from "./store/db.ts";
import { createOutbound } from "./transport/outbound.ts";
import { type KeyRing, keyRingInFolder, keyRingOf, masterKeyFrom } from "./vault/key-ring.ts";

export interface Running {
  /** Takes no new calls, finishes those it has accepted, and closes everything. */
  stop(): Promise<void>;
}

/** A call that was accepted is finished; one that takes longer than this is cut off. */
const stopSecondsMax = 20;

/** Config, stores, rooms, faces: everything is put together here, and nowhere else. */
export async function startSignalbox(config: Config, log: Log, requestLog: RequestLog): Promise<Running> {
  const now = () => new Date();
  const ring = keyRingFor(config);
  const outbound = createOutbound({
    privateOrigins: [...config.privateHosts, ...Object.values(sandboxUrlsOf(config) ?? {})],
  });
  const limits = createRateLimits(config.rateLimits);
  const metrics = createMetrics();
  const opened: OpenRegion[] = [];
  const servers: ReturnType<typeof createServer>[] = [];
  let sandboxes: OwnSandboxes | null = null;
  let ready = false;
  let stopping = false;

  async function stop(): Promise<void> {
    stopping = true;
    const closing = Promise.all(servers.map((server) => server.close()));
    const cutOff = setTimeout(() => {
      for (const server of servers) server.server.closeAllConnections();
    }, stopSecondsMax * 1000);
    await closing;
    clearTimeout(cutOff);
    await Promise.all(opened.map((region) => region.close()));
    await outbound.close();
    await sandboxes?.stop();
    limits.stop();
  }

  async function notReady(store: Store): Promise<string | null> {
    if (stopping) return "stopping";
    if (!ready) return "starting";
    if (sandboxes && !sandboxes.isRunning()) return "the sandboxes have ended";
    return ping(store).then(
      () => null,
      () => "the store cannot be reached",
    );
  }

  try {
    const starting = config.sandboxes === "own" ? startOwnSandboxes(sandboxPortOf(config.port), log) : null;
    // They start beside the regions; what they could not do is said when their turn comes.
    starting?.catch(() => {});
    for (const region of config.regions) {
      const open = await openRegion(config, region, { ring, outbound, limits, log, now });
      opened.push(open);
      if (config.firstRun) await setUpRegion(config, region, open.context.store, now);
      const server = createServer({
        context: open.context,
        baseUrls: config.baseUrls,
        log,
        requestLog,
        metrics,
        trustedProxies: config.trustedProxies,
        notReady: () => notReady(open.context.store),
      });
      servers.push(server);
      await server.listen({ host: config.host, port: portOf(config.port, region) });
    }
    sandboxes = await starting;
    if (config.firstRun) noteSandboxes(config.home, sandboxUrlsOf(config));
    ready = true;
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Only a first run makes a key by itself: a node that lost its key must not start with another one. */
function keyRingFor(config: Config): KeyRing {
  if (config.masterKey) return keyRingOf(masterKeyFrom(config.masterKey.reveal()));
  if (!config.firstRun) {
    throw new SettingRefused(
      "SIGNALBOX_MASTER_KEY is needed: 32 bytes in base64 (openssl rand -base64 32), the same on every node of a region.",
    );
  }
  try {
    return keyRingInFolder(config.home);
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    throw new SettingRefused(`The master key in ${config.home} (SIGNALBOX_HOME or --home) cannot be used: ${why}.`);
  }
}
