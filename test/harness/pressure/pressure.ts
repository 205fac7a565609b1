import { mkdirSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { newApiKey } from "../../../src/access/callers/api-key-format.ts";
import { after } from "../../kill-loop/runs/any-node.ts";
import { startOutside } from "../../kill-loop/runs/outside.ts";
import { prepare } from "../../kill-loop/runs/runs-kill-loop.ts";
import { startPostgres, type TestPostgres } from "../../support/databases/postgres.ts";
import { type ServerProcess, startServer } from "../../support/processes/server-process.ts";
import { CannotRun, type Findings, type Harness, type HarnessOptions } from "../frame/harness.ts";
import type { ClientWithDeadline } from "../load/client-with-deadline.ts";
import { limitsOn } from "../load/limits-on.ts";
import { startRunsAndWrites } from "../load/runs-and-writes.ts";
import { type SlowProxy, startSlowProxy } from "./slow-proxy.ts";

const kinds = [
  "a slow database",
  "a server that is restarted",
  "connections that all break",
  "a pool used up by slow statements",
] as const;
const nodeCount = 2;
const slowMilliseconds = 200;
/** In seconds. "Authentication keeps a reserve": a wrong key is refused within `refusedMax`, however busy the pool is. */
const full = { lasts: 10, away: 3, recoveredMax: 10, refusedMax: 3, answeredMax: 30 };
/** The machine is as slow as the tests beside it make it: no time is judged. */
const short: typeof full = {
  lasts: 2,
  away: 0.5,
  recoveredMax: Number.POSITIVE_INFINITY,
  refusedMax: Number.POSITIVE_INFINITY,
  answeredMax: 100,
};
/** Runs of a node that lost its connections are not waited for as long. */
const shortSettings = { SIGNALBOX_LEASE_SECONDS: "4", SIGNALBOX_SETTLE_SECONDS: "10" };
/** 10 for calls, one that listens, and a probe. */
const connectionsOfNode = 13;

/** The database is slow, restarted, cut off, or busy with slow statements while two nodes work on it. */
export const pressure: Harness = {
  id: "H5",
  name: "pressure",
  title: "a database that is slow, restarted, cut off, or busy with slow statements, under load",
  stores: ["postgres"],
  fullCycles: 12,
  shortCycles: 1,
  shortTest: "test/harness/pressure/pressure.test.ts",
  run: press,
};

async function press({ seed, cycles, isShort, folder, log }: HarnessOptions): Promise<Findings> {
  // Of its own, because it restarts it.
  const server = await startPostgres();
  if (typeof server === "string") throw new CannotRun(server);
  const url = new URL(server.url);
  const proxy = await startSlowProxy(Number(url.port));
  url.port = String(proxy.port);
  const outside = await startOutside();
  const nodes: ServerProcess[] = [];
  const times = isShort ? short : full;
  try {
    const home = join(folder, "home");
    mkdirSync(home);
    const settings = {
      SIGNALBOX_DATABASE_URL_US: url.href,
      SIGNALBOX_SANDBOXES: outside.address,
      ...limitsOn,
      ...(isShort && shortSettings),
    };
    const prepared = await prepare(home, settings, outside);
    for (let index = 0; index < nodeCount; index++) nodes.push(await startServer(home, settings));
    const ports = nodes.map(({ port }) => port);
    const load = startRunsAndWrites({ prepared, outside, ports, seed, deadlineSeconds: times.answeredMax });
    const { client, probe, random, broken, acknowledged } = load;
    let slowestRefusal = 0;
    let connectionsMost = 0;
    const recoverySeconds: number[] = [];
    let done = 0;
    for (; done < cycles && !load.isBroken(); done++) {
      const kind = kinds[(done + seed) % kinds.length] ?? kinds[0];
      await after(1_000 + random() * 2_000);
      if (kind === "a pool used up by slow statements") {
        const look = () => refusals(client, ports, broken, times.lasts);
        slowestRefusal = Math.max(slowestRefusal, await whileLocked(server.url, look));
      } else await disturb(kind, server, proxy, times);
      const recovered = await Promise.all(ports.map((port) => probe.untilWritten(port)));
      recoverySeconds.push(...recovered);
      connectionsMost = Math.max(connectionsMost, proxy.count());
      const slowest = Math.max(...recovered);
      if (slowest > times.recoveredMax) broken.push(`After ${kind}, a node wrote only after ${slowest.toFixed(1)} s.`);
      log(`${done + 1}. ${kind}: written after ${slowest.toFixed(1)} s; ${acknowledged()} acknowledged`);
    }
    if (slowestRefusal > times.refusedMax) {
      broken.push(`With the pool used up, a wrong key was refused only after ${slowestRefusal.toFixed(1)} s.`);
    }
    if (connectionsMost > nodeCount * connectionsOfNode) broken.push(`${connectionsMost} connections were opened.`);
    const { found } = await load.end(done, log);
    const figures = `a wrong key was refused within ${slowestRefusal.toFixed(1)} s while the pool was used up`;
    return {
      ...found,
      recoverySeconds,
      note: `${figures}; ${connectionsMost} connections at most; slowest call ${client.slowestSeconds.toFixed(1)} s`,
    };
  } finally {
    for (const node of nodes) await node.kill();
    proxy.stop();
    await outside.stop();
    await server.stop();
  }
}

/** Until the database is as before. */
async function disturb(
  kind: (typeof kinds)[number],
  server: TestPostgres,
  proxy: SlowProxy,
  { lasts, away }: typeof full,
): Promise<void> {
  if (kind === "a slow database") {
    proxy.delay(slowMilliseconds);
    await after(lasts * 1000);
    proxy.delay(0);
  } else if (kind === "a server that is restarted") {
    await server.shutDown();
    await after(away * 1000);
    await server.startAgain();
  } else {
    proxy.close();
    await after(away * 1000);
    proxy.open();
  }
}

/** Somebody's transaction holds a table that every invite needs: statements pile up until each connection waits. */
async function whileLocked(url: string, look: () => Promise<number>): Promise<number> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return (await sql.begin(async (db) => {
      await db.unsafe("lock table invites in access exclusive mode");
      return look();
    })) as number;
  } finally {
    await sql.end();
  }
}

/** Seconds of the slowest refusal of a key that nobody has, while calls wait for the table. */
async function refusals(
  client: ClientWithDeadline,
  ports: readonly number[],
  broken: string[],
  seconds: number,
): Promise<number> {
  const until = performance.now() + seconds * 1000;
  const waiting: Promise<unknown>[] = [];
  for (const port of ports) {
    for (let index = 0; index < 20; index++) waiting.push(client.call(port, "auth/invite/list", {}));
  }
  await after(Math.min(1, seconds / 2) * 1000);
  let slowest = 0;
  while (performance.now() < until) {
    for (const port of ports) {
      const startedAt = performance.now();
      const [health, answer] = await Promise.all([
        fetch(`http://127.0.0.1:${port}/readyz`),
        fetch(`http://127.0.0.1:${port}/latest/projects/list`, {
          method: "POST",
          headers: { authorization: `Bearer :${newApiKey("us")}`, "content-type": "application/json" },
          body: "{}",
        }),
      ]);
      slowest = Math.max(slowest, (performance.now() - startedAt) / 1000);
      if (answer.status !== 401) broken.push(`A wrong key was answered ${answer.status} ${await answer.text()}`);
      if (health.status !== 200) broken.push(`/readyz was ${health.status} while the pool was used up.`);
      await Promise.all([answer.arrayBuffer().catch(() => null), health.arrayBuffer()]);
    }
    await after(200);
  }
  void Promise.all(waiting);
  return slowest;
}
