import { readdirSync, readFileSync } from "node:fs";
import { pauseName } from "../../../src/http/pause-name.ts";
import type { Findings, Harness, HarnessOptions } from "../frame/harness.ts";
import { pause, World } from "../load/world.ts";
import { Writers } from "../load/writers.ts";

const minutesByDefault = 30;
/** Memory counts after so much of the time: caches and compiled code are there by then. */
const warmUpShare = 0.4;
const grownMax = 0.05;
const sampleMilliseconds = 2_000;
/** Short of a full load: a soak looks for what grows, not for a limit. */
const clients = 4;

export const soak: Harness = {
  id: "H14",
  name: "soak",
  title: "mixed load for 30 minutes (--minutes): memory and file descriptors stay flat, the event loop never stops",
  stores: ["sqlite", "postgres"],
  fullCycles: 1,
  shortCycles: 1,
  shortTest: "test/attacks/loop-pauses.test.ts",
  run,
};

interface Sample {
  rssBytes: number;
  descriptors: number;
}

async function run(options: HarnessOptions): Promise<Findings> {
  const { seed, log, minutes = minutesByDefault } = options;
  const world = await World.of(options);
  const { pid } = await world.start();
  const writers = new Writers(world, seed, { clients });
  const samples: Sample[] = [];
  const endsAt = performance.now() + minutes * 60_000;
  const isOver = () => performance.now() > endsAt;
  const broken: string[] = [];
  try {
    const load = Promise.all([writers.until(isOver), readUntil(writers, isOver)]);
    for (let next = performance.now(); !isOver(); await pause(sampleMilliseconds)) {
      samples.push(sampleOf(pid));
      if (performance.now() < next) continue;
      next = performance.now() + 60_000;
      log(`${writers.count("acknowledged")} writes, ${mebibytes(samples.at(-1)?.rssBytes ?? 0)} MiB`);
    }
    await load;
    const pauses = await longPauses(world.port);
    const [rss, descriptors] = [growthOf(samples, "rssBytes"), growthOf(samples, "descriptors")];
    if (rss.share > grownMax) broken.push(`Memory grew by ${percent(rss.share)}, from ${rss.from} to ${rss.to} bytes.`);
    if (descriptors.share > grownMax) broken.push(`Descriptors grew from ${descriptors.from} to ${descriptors.to}.`);
    if (pauses > 0) broken.push(`The event loop stood still for more than 250 ms ${pauses} times.`);
    const verdict = await world.open((store) => writers.judge(store));
    broken.push(...writers.broken, ...verdict.broken, ...(await world.flaws()));
    return {
      ...{ cycles: 1, faults: 0, acknowledged: writers.count("acknowledged"), unknown: writers.count("unknown") },
      ...{ lost: verdict.lost, doubled: verdict.doubled, recoverySeconds: [], broken },
      note: `${minutes} minutes; memory ${signed(rss.share)} to ${mebibytes(rss.to)} MiB, descriptors ${signed(descriptors.share)}, ${pauses} pauses above 250 ms`,
    };
  } finally {
    writers.close();
    await world.kill();
  }
}

async function readUntil(writers: Writers, isOver: () => boolean): Promise<void> {
  const reads = ["auth/info", "projects/list", "auth/users/list", "auth/keys/list", "runs/list", "audit/list"];
  for (let i = 0; !isOver(); i++) {
    await writers.read(reads[i % reads.length] ?? "auth/info");
    await pause(20);
  }
}

function sampleOf(pid: number): Sample {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return { rssBytes: Number(kilobytes) * 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

/** The median of the last fifth, against that of the first fifth after the warm-up. */
function growthOf(samples: readonly Sample[], name: keyof Sample): { from: number; to: number; share: number } {
  const warm = samples.slice(Math.floor(samples.length * warmUpShare)).map((sample) => sample[name]);
  const fifth = Math.max(1, Math.floor(warm.length / 5));
  const from = medianOf(warm.slice(0, fifth));
  const to = medianOf(warm.slice(-fifth));
  return { from, to, share: to / from - 1 };
}

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** What the server itself has counted: it records pauses of its event loop of more than 250 ms. */
async function longPauses(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const counts = text.split("\n").filter((line) => line.startsWith(`${pauseName}_count`));
  return counts.reduce((all, line) => all + Number(line.split(" ").at(-1)), 0);
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const signed = (share: number): string => `${share < 0 ? "" : "+"}${percent(share)}`;
const mebibytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);
