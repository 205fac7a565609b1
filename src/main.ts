import type { ConsoleFile } from "./http/console/console-files.ts";
import { createEdge, type Edge } from "./http/edge/edge.ts";
import { createMetrics, type Metrics } from "./http/metrics.ts";
import { createServer } from "./http/server.ts";
import type { Logs } from "./kernel/log.ts";
import { watchLoop } from "./kernel/loop-watch.ts";
import { createMcp } from "./mcp/create-mcp.ts";
import { createRunMemory } from "./runs/queue/run-memory.ts";
import { createScim } from "./scim/create-scim.ts";
import type { Member } from "./start/cluster/member.ts";
import { firstStartLacks } from "./start/cluster/messages.ts";
import { shareOfBodies, shareOfComputing, shareOfRunMemory } from "./start/cluster/share-of-caps.ts";
import { createFirstRunSetUp } from "./start/first-run/complete-first-run.ts";
import { createFirstConnections } from "./start/first-run/connect-when-ready.ts";
import { keyRingFor } from "./start/master-keys.ts";
import { openConsole } from "./start/open-console.ts";
import type { UncaughtKind } from "./start/process/catch-unhandled.ts";
import { logPause } from "./start/process/log-pause.ts";
import { type OpenRegion, openRegion } from "./start/region/open-region.ts";
import { showRegions } from "./start/region/region-metrics.ts";
import { unlessFull } from "./start/region/take-over-file.ts";
import { type OwnSandboxes, startOwnSandboxes } from "./start/sandboxes/start-sandboxes.ts";
import { type SandboxWatch, watchSandboxes } from "./start/sandboxes/watch-sandboxes.ts";
import { type Config, portOf, sandboxPortOf, sandboxUrlsOf } from "./start/settings/config.ts";
import { startTelemetry } from "./start/telemetry/telemetry.ts";
import { ping, StoreUnavailable, type UnavailableReason } from "./store/db.ts";
import { fullText } from "./store/restore-detection.ts";
import { logLostCheckpoints } from "./store/sqlite/checkpoints.ts";
import { createOutboundByUse } from "./transport/outbound-by-use.ts";
import { createCompute } from "./untrusted/compute.ts";

export interface Running {
  /** Takes no new calls, finishes those it has accepted, and closes everything. */
  stop(): Promise<void>;
  /** Counts an error that nobody caught. */
  countUncaught(kind: UncaughtKind): void;
}

/** A call that was accepted is finished; one that takes longer than this is cut off. */
const stopSecondsMax = 20;

const notReadyTexts: Partial<Record<UnavailableReason, string>> = {
  "read-only": "the store accepts no writes",
  full: fullText,
};

/**
 * The composition root: builds config, stores, rooms and protocols. Own sandboxes may be under way before it is loaded.
 * `member` is set where this process is one of several. If it rejects, what it has opened is being closed.
 */
export async function startSignalbox(
  config: Config,
  { log, requestLog, mailLog }: Logs,
  sandboxesUnderWay: Promise<OwnSandboxes> | null = null,
  member: Member | null = null,
): Promise<Running> {
  const { processes } = config;
  const now = () => new Date();
  const ring = await keyRingFor(config);
  const outbounds = createOutboundByUse(config.privateHosts, { ...sandboxUrlsOf(config) }, log);
  const compute = createCompute(shareOfComputing(processes));
  const runMemory = createRunMemory(shareOfRunMemory(processes));
  const metrics = createMetrics();
  const edge = createEdge({ ...config, bodies: shareOfBodies(processes), responses: shareOfBodies(processes) });
  showEdge(metrics, edge);
  const telemetry = await startTelemetry(config.telemetry, metrics.values, log);
  const loopWatch = watchLoop((pause) => {
    metrics.pause(pause);
    logPause(log, pause);
  });
  const stopCheckpointLog = logLostCheckpoints(log);
  const opened: OpenRegion[] = [];
  showRegions(metrics, () => opened.map(({ context }) => context));
  const firstConnections = createFirstConnections(config, {
    regions: () => opened.map(({ context }) => context),
    outbound: outbounds.steps,
    log,
    now,
  });
  const firstRun = createFirstRunSetUp(config, { connect: firstConnections.connect, log, now });
  const servers: ReturnType<typeof createServer>[] = [];
  let starting = sandboxesUnderWay;
  let sandboxes: OwnSandboxes | null = null;
  let sandboxWatch: SandboxWatch | null = null;
  let consoleFiles: Map<string, ConsoleFile> | null = null;
  let ready = false;
  let stopping = false;

  async function stop(): Promise<void> {
    stopping = true;
    firstConnections.stop();
    await firstRun.stop();
    const closing = Promise.all(servers.map((server) => server.close()));
    const cutOff = setTimeout(() => {
      for (const server of servers) server.server.closeAllConnections();
    }, stopSecondsMax * 1000);
    await closing;
    clearTimeout(cutOff);
    await sandboxWatch?.stop();
    await Promise.all(opened.map((region) => region.close()));
    await outbounds.close();
    await compute.close();
    for (const { leave } of opened) leave();
    await member?.leave((await metrics.text()).text);
    // Its failure has stopped the server, or was logged when it started.
    await (await starting?.catch(() => null))?.stop();
    stopCheckpointLog();
    loopWatch.stop();
    await telemetry?.stop();
  }

  async function notReady({ context: { store }, writeFailure }: OpenRegion): Promise<string | null> {
    if (stopping) return "stopping";
    if (!ready) return "starting";
    if (!firstRun.isComplete()) return firstStartLacks.file;
    if (!firstConnections.areMade()) return firstStartLacks.sandboxes;
    if (sandboxes && !sandboxes.isRunning()) return "the sandboxes have ended";
    return ping(store).then(
      writeFailure,
      (error) => (error instanceof StoreUnavailable && notReadyTexts[error.reason]) || "the store cannot be reached",
    );
  }

  const forgetLimitsAt = async (origin: string): Promise<void> => {
    await Promise.all(opened.map(({ context: { rooms } }) => rooms.steps.limits.forget(origin)));
  };

  /** What a start does once. */
  const setsUp = member?.setsUp ?? true;
  if (setsUp) for (const hint of config.hints) log.warn(hint);
  const textOfAll = async () => {
    const { contentType, text } = await metrics.text();
    return { contentType, text: member ? await member.metricsOfAll(text) : text };
  };
  member?.answerWith({
    metrics: async () => (await metrics.text()).text,
    async notReady(region) {
      const open = opened.find(({ context }) => context.region === region);
      return open ? notReady(open) : "starting";
    },
  });
  try {
    if (config.sandboxes === "own") starting ??= startOwnSandboxes(sandboxPortOf(config.port), log);
    // They start beside the regions; what they could not do is said when their turn comes.
    starting?.catch(() => {});
    const building = openConsole(log);
    for (const region of config.regions) {
      const open = await openRegion(config, region, {
        ring,
        outbounds,
        compute,
        runMemory,
        log,
        mailLog,
        now,
        meter: metrics.meterOf(region),
      });
      opened.push(open);
      if (config.firstRun && setsUp) await firstRun.setUp(region, open.context.store);
      const server = createServer({
        context: open.context,
        baseUrls: config.baseUrls,
        log,
        requestLog,
        metrics: { ...metrics, text: textOfAll },
        edge,
        trustedProxies: config.trustedProxies,
        notReady: async () => {
          const own = await notReady(open);
          return member ? member.notReadyTogether(region, own) : own;
        },
        consoleFiles: () => consoleFiles,
        scim: createScim({ context: open.context, baseUrl: config.baseUrls[region] }),
        isWorker: config.role === "worker",
        assistants: createMcp({ context: open.context, baseUrl: config.baseUrls[region] }),
      });
      servers.push(server);
      await server.listen({ host: config.host, port: portOf(config.port, region) });
    }
    consoleFiles = await building;
    sandboxes = await starting;
    const urls = sandboxUrlsOf(config);
    // Own ones begin anew with the server.
    if (urls && sandboxes && (member?.areSandboxesNew ?? true))
      for (const url of Object.values(urls)) await unlessFull(forgetLimitsAt(new URL(url).origin));
    if (urls) {
      sandboxWatch = watchSandboxes(urls, outbounds.steps, async ({ system, origin, isReset }) => {
        await forgetLimitsAt(origin);
        if (isReset)
          await Promise.all(opened.map(({ context: { rooms } }) => rooms.vault.reopenSandboxConnections(system)));
      });
    }
    if (config.firstRun && setsUp) await firstRun.complete();
    for (const { begin } of opened) begin();
    ready = true;
    return { stop, countUncaught: metrics.countUncaught };
  } catch (error) {
    // It may take long, or never end. The first failure is the one to report.
    stop().catch(() => {});
    throw error;
  }
}

function showEdge(metrics: Metrics, { connections, bodies, responses }: Edge): void {
  metrics.show("signalbox_connections", "Connections that are open", connections.open);
  metrics.show("signalbox_connections_refused", "Connections refused since the start", connections.refused);
  metrics.show("signalbox_body_bytes", "Memory kept for bodies that are received or worked on", bodies.bytesReserved);
  metrics.show("signalbox_response_bytes", "Memory kept for responses that are being sent", responses.bytesReserved);
}
