import { seededRandom } from "../../kill-loop/random.ts";
import type { Findings, Harness, HarnessOptions } from "../frame/harness.ts";
import { pause, World } from "../load/world.ts";
import { Writers } from "../load/writers.ts";
import { becomes, clientOf } from "./client.ts";
import { FakedClock } from "./faked-clock.ts";
import { KeptRecords } from "./kept-records.ts";
import { OpenWork } from "./open-work.ts";
import { startParties } from "./parties.ts";
import { startProbes } from "./probes.ts";

const [hour, day] = [3600, 86_400];
/** Where the clock stands after a jump, in seconds from the right time. */
const ahead = [400 * day, 3650 * day];
const notAhead = [hour, -hour, 0, -400 * day, -3650 * day];
/** Nobody who looks after the clock would confirm this one. */
const atLast = 4000 * day;
/** How long a run takes at most, and until what others refused is done. */
const secondsMax = { full: 30, short: 200 };
const bringForward = new URL("bring-forward.ts", import.meta.url).pathname;
/** What the system says while it is away. A limit is used up until some time has really passed. */
const refusals = [
  { status: 503 },
  { status: 503, headers: { "retry-after": "60" } },
  { status: 429, headers: { "retry-after": "5" } },
];

/**
 * After each jump, what was acknowledged is there, also after everything that deletes has run: nothing expires by a jump. What a server has begun by a clock
 * that was ahead is done, once, after the clock was set back.
 */
export const clockJumps: Harness = {
  id: "H4",
  name: "clock",
  title: "the wall clock of the server jumps by an hour, by 400 days and by ten years, both ways, under load",
  needs: ["faketime"],
  stores: ["sqlite", "postgres"],
  fullCycles: 28,
  shortCycles: 2,
  shortTest: "test/harness/clock/clock-jumps.test.ts",
  run,
};

async function run(options: HarnessOptions): Promise<Findings> {
  const { cycles, seed, log } = options;
  const clock = new FakedClock(options.folder);
  const parties = await startParties();
  const world = await World.of(options, {
    ...clock.settings,
    ...parties.settings,
    SIGNALBOX_LOG_LEVEL: "warn",
    // They count on, above what these clients need: a jump must lock nobody out.
    SIGNALBOX_RATE_LIMITS: "default=6000/60,write=6000/60,invite=6000/60,run=6000/60",
  });
  if (world.databaseUrl !== null) await clock.alsoOf(world.databaseUrl);
  const limit = options.isShort ? secondsMax.short : secondsMax.full;
  const random = seededRandom(seed);
  const broken: string[] = [];
  const recoverySeconds: number[] = [];
  let [done, lost, doubled, compared] = [0, 0, 0, 0];
  await world.start({}, bringForward);
  const client = clientOf(world);
  const writers = new Writers(world, seed, { clients: 4 });
  const kept = new KeptRecords(world, client);
  const work = new OpenWork(world, client, parties, clock, limit);

  /** The server has noticed where its clock is. */
  async function noticed(): Promise<void> {
    const isSeen = async () => Math.abs((await kept.clockSeen()) - clock.now().getTime()) < (day / 2) * 1000;
    if (!(await becomes(limit, isSeen))) broken.push(`The jump was not noticed within ${limit} s.`);
  }
  async function jump(offset: number): Promise<void> {
    let isOver = false;
    const load = writers.until(() => isOver);
    await pause(100);
    await clock.set(offset);
    await pause(200);
    isOver = true;
    await load;
  }
  /** Nothing that was there before a jump is gone after it, and after all that deletes. */
  async function compare(before: Awaited<ReturnType<typeof kept.read>>): Promise<void> {
    await kept.deleteOld();
    const missing = await kept.missing(before);
    compared += before.size;
    lost += missing.length;
    if (missing.length > 0) broken.push(`${missing.length} records were deleted: ${missing.slice(0, 5).join(", ")}`);
    broken.push(...kept.failures());
  }
  async function cycle(offset: number): Promise<void> {
    await kept.receiveEvent();
    const before = await kept.read();
    const jumpedAt = performance.now();
    await jump(offset);
    broken.push(...(await judge(offset)));
    recoverySeconds.push((performance.now() - jumpedAt) / 1000);
    await noticed();
    await work.finish();
    await compare(before);
    if (ahead.includes(offset)) await work.begin(offset, refusals[Math.floor(random() * refusals.length)] ?? {});
    const verdict = await world.open((store) => writers.judge(store));
    broken.push(...writers.broken, ...work.broken, ...verdict.broken, ...(await world.flaws()));
    lost += verdict.lost;
    doubled += verdict.doubled;
    if (world.server.ownEnd() !== null) broken.push(`The server ended: ${world.server.ownEnd()}`);
  }

  let judge: Awaited<ReturnType<typeof startProbes>>;
  try {
    judge = await startProbes(world, client, limit);
    await work.prepare();
    await kept.prepare();
    broken.push(...(await judge(0)));
    for (; done < cycles && broken.length === 0; done++) {
      const offset = offsetOf(done, random);
      await cycle(offset);
      broken.splice(0, Infinity, ...broken.map((sentence) => `At ${offset} s: ${sentence}`));
      if ((done + 1) % 7 === 0) log(`${done + 1} jumps`);
    }
    if (broken.length === 0) {
      await clock.set(0);
      await noticed();
      await work.finish();
      doubled += await work.doubled();
      broken.push(...work.broken, ...(await whatExpires()));
    }
  } finally {
    client.close();
    writers.close();
    await world.kill();
    await clock.close();
    await parties.stop();
  }

  /** Those passes delete something: once a person has said that the clock is right, what has expired is gone. */
  async function whatExpires(): Promise<string[]> {
    const before = await kept.read();
    await clock.set(atLast);
    await noticed();
    await compare(before);
    const said = await kept.confirmClock(clock.settings);
    await kept.deleteOld();
    const missing = new Set(await kept.missing(before));
    const kinds = new Set(before.values());
    for (const name of missing) kinds.delete(before.get(name) ?? "");
    return [...said, ...[...kinds].map((kind) => `No ${kind} expired after the clock was confirmed.`)];
  }

  const [acknowledged, unknown] = [writers.count("acknowledged"), writers.count("unknown")];
  const note = `nothing of ${compared.toLocaleString("en")} records expired; ${work.note}`;
  return { cycles: done, faults: done, acknowledged, lost, doubled, unknown, recoverySeconds, broken, note };
}

/** First ahead and then back, in the short version too; then anywhere. */
function offsetOf(done: number, random: () => number): number {
  const offsets = done === 0 ? ahead : done === 1 ? notAhead : [...ahead, ...notAhead];
  return offsets[Math.floor(random() * offsets.length)] ?? 0;
}
