import { cpSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { seededRandom } from "../../kill-loop/random.ts";
import { withoutSecret } from "../../support/calls/invite-codes.ts";
import { startServer } from "../../support/processes/server-process.ts";
import type { Findings, Harness, HarnessOptions } from "../frame/harness.ts";
import { World } from "../load/world.ts";
import { Writers } from "../load/writers.ts";

/**
 * A machine that loses power may leave the end of the log torn: what was written after the last fsync is there in part.
 * Everything before that place must be there, and a store that opens must be whole. Each cycle tears a copy of one killed store.
 */
export const tornLog: Harness = {
  id: "H2",
  name: "torn-log",
  title: "the end of a killed store's log (WAL) is cut off or overwritten at random places",
  stores: ["sqlite"],
  fullCycles: 400,
  shortCycles: 30,
  shortTest: "test/harness/short.test.ts",
  run,
};

/** One in so many torn stores is also served. */
const servedEvery = 100;

async function run(options: HarnessOptions): Promise<Findings> {
  const world = await World.of(options);
  await world.start();
  try {
    return await tearCopies(options, world);
  } finally {
    await world.kill();
  }
}

/** Writes, kills the server of this world, and tears copies of what it leaves. */
export async function tearCopies({ cycles, seed, log, folder }: HarnessOptions, world: World): Promise<Findings> {
  const writers = new Writers(world, seed, { clients: 4 });
  const random = seededRandom(seed);
  const found = { cycles: 0, faults: 0, lost: 0, doubled: 0, recoverySeconds: [] as number[], broken: [] as string[] };
  emptyLog(world.file);
  const sizes: Size[] = [];
  for (let round = 0; round < 12; round++) {
    await writers.once();
    // Whatever is acknowledged by now is in the first so many bytes of the log.
    sizes.push({ logBytes: sizeOf(`${world.file}-wal`), writes: writers.writes.length });
  }
  await world.kill();
  writers.close();
  const copy = join(folder, "copy");
  for (; found.cycles < cycles && found.broken.length === 0; found.cycles++) {
    rmSync(copy, { recursive: true, force: true });
    cpSync(world.home, copy, { recursive: true });
    const keptBytes = tear(join(copy, "us.sqlite-wal"), random);
    found.faults++;
    rmSync(join(copy, "us.sqlite-shm"), { force: true });
    const durable = sizes.findLast(({ logBytes }) => logBytes <= keptBytes)?.writes ?? 0;
    const missing = missingIn(join(copy, "us.sqlite"), writers, durable);
    found.lost += missing.length;
    found.broken.push(...missing.map((sentence) => `${sentence} The log was torn at ${keptBytes}.`));
    if ((found.cycles + 1) % servedEvery === 0) {
      found.recoverySeconds.push(await serve(copy, found.broken));
      log(`${found.cycles + 1} torn logs`);
    }
  }
  return { ...found, acknowledged: writers.count("acknowledged"), unknown: writers.count("unknown") };
}

interface Size {
  logBytes: number;
  writes: number;
}

/** The log begins anew, so that what is in the store before is not torn. */
function emptyLog(file: string): void {
  const store = new DatabaseSync(file, { timeout: 10_000 });
  store.exec("pragma wal_checkpoint(truncate)");
  store.close();
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Returns how many bytes of the log are as they were. */
function tear(file: string, random: () => number): number {
  if (!existsSync(file)) throw new Error("The killed store has no log to tear.");
  const bytes = readFileSync(file);
  const at = Math.floor(random() * bytes.length);
  if (random() < 0.5) {
    truncateSync(file, at);
    return at;
  }
  const length = 1 + Math.floor(random() * 512);
  for (let i = at; i < Math.min(bytes.length, at + length); i++) bytes[i] = Math.floor(random() * 256);
  writeFileSync(file, bytes);
  return at;
}

/** What was durable before the torn place and is not there; or why the store is not whole. */
function missingIn(file: string, writers: Writers, durable: number): string[] {
  const store = new DatabaseSync(file);
  try {
    const [check] = store.prepare("pragma integrity_check(1)").all();
    if (check?.integrity_check !== "ok") return [`integrity_check: ${check?.integrity_check}.`];
    const there = new Set(
      ["select id from projects", "select id from api_keys", "select code as id from invites"].flatMap((statement) =>
        store
          .prepare(statement)
          .all()
          .map((row) => withoutSecret(String(row.id))),
      ),
    );
    return writers.writes
      .slice(0, durable)
      .filter(({ state, id }) => state === "acknowledged" && !there.has(withoutSecret(id)))
      .map(({ kind, tag }) => `${kind} ${tag} was acknowledged, and it is not there.`);
  } finally {
    store.close();
  }
}

async function serve(home: string, broken: string[]): Promise<number> {
  const startedAt = performance.now();
  const server = await startServer(home);
  const seconds = (performance.now() - startedAt) / 1000;
  const ready = await fetch(`http://127.0.0.1:${server.port}/readyz`);
  if (ready.status !== 200) broken.push(`A server on a torn log is not ready: ${await ready.text()}`);
  await server.kill();
  return seconds;
}
