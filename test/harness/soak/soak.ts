import { readdirSync, readFileSync } from "node:fs";
import type { Findings, Harness, HarnessOptions } from "../frame/harness.ts";
import { pause, World } from "../load/world.ts";
import { Writers } from "../load/writers.ts";
import { type LoopTurns, turnMillisecondsMax } from "./loop-turns.ts";
import { triggerUntil } from "./trigger-until.ts";

const minutesByDefault = { full: 30, short: 0.1 };
/** Memory counts after so much of the time: caches and compiled code are there by then. */
const warmUpShare = 0.4;
const grownMax = 0.05;
const sampleMilliseconds = 2_000;
/** Code that runs for the first time is compiled, in turns of any length. */
const firstTurnsMilliseconds = 20_000;
/** Short of a full load: a soak looks for what grows, not for a limit. */
const clients = 4;

export const soak: Harness = {
  id: "H14",
  name: "soak",
  title:
    "mixed load for 30 minutes (--minutes): memory and file descriptors stay flat, no turn of the event loop takes 50 ms",
  stores: ["sqlite", "postgres"],
  fullCycles: 1,
  shortCycles: 1,
  shortTest: "test/harness/soak/soak.test.ts",
  run,
};

interface Growth {
  from: number;
  to: number;
  share: number;
}

interface Sample {
  rssBytes: number;
  descriptors: number;
}

async function run(options: HarnessOptions): Promise<Findings> {
  const { seed, log, isShort } = options;
  const { minutes = isShort ? minutesByDefault.short : minutesByDefault.full } = options;
  const world = await World.of(options);
  const { pid, ask } = await world.start({}, new URL("./loop-turns.ts", import.meta.url).pathname);
  const writers = new Writers(world, seed, { clients });
  const samples: Sample[] = [];
  const endsAt = performance.now() + minutes * 60_000;
  const isOver = () => performance.now() > endsAt;
  const broken: string[] = [];
  try {
    const load = Promise.all([writers.until(isOver), readUntil(writers, isOver), triggerUntil(world, isOver)]);
    await pause(Math.min(firstTurnsMilliseconds, minutes * 60_000 * warmUpShare));
    await ask("turns");
    for (let next = performance.now(); !isOver(); await pause(sampleMilliseconds)) {
      samples.push(sampleOf(pid));
      if (performance.now() < next) continue;
      next = performance.now() + 60_000;
      log(`${writers.count("acknowledged")} writes, ${mebibytes(samples.at(-1)?.rssBytes ?? 0)} MiB`);
    }
    const [, reads, tools] = await load;
    if (tools.runs === 0) broken.push("No run of a tool succeeded.");
    const turns = (await ask("turns")) as LoopTurns;
    const [rss, descriptors] = [growthOf(samples, "rssBytes"), growthOf(samples, "descriptors")];
    // What has just started still grows.
    if (!isShort) broken.push(...grown("Memory", rss), ...grown("Descriptors", descriptors), ...tooLong(turns));
    const verdict = await world.open((store) => writers.judge(store));
    broken.push(...writers.broken, ...tools.broken, ...verdict.broken, ...(await world.flaws()));
    return {
      ...{ cycles: 1, faults: 0, acknowledged: writers.count("acknowledged"), unknown: writers.count("unknown") },
      ...{ lost: verdict.lost, doubled: verdict.doubled, recoverySeconds: [], broken },
      note: `${minutes} minutes, ${tools.runs} runs; memory ${signed(rss.share)} to ${mebibytes(rss.to)} MiB, descriptors ${signed(descriptors.share)}; longest turn of the event loop ${milliseconds(turns.longestCpuMilliseconds)} by its processor time, ${milliseconds(turns.longestMilliseconds)} on the wall, longest garbage collection ${milliseconds(turns.longestCollectionMilliseconds)}; reads took ${milliseconds(quantileOf(reads, 0.5))} (p50) and ${milliseconds(quantileOf(reads, 0.99))} (p99)`,
    };
  } finally {
    writers.close();
    await world.kill();
  }
}

const grown = (what: string, { from, to, share }: Growth): string[] =>
  share > grownMax ? [`${what} grew by ${percent(share)}, from ${from} to ${to}.`] : [];

const tooLong = ({ tooLong: count, longestCpuMilliseconds: longest }: LoopTurns): string[] =>
  count > 0
    ? [`${count} turns of the event loop took more than ${turnMillisecondsMax} ms; one took ${milliseconds(longest)}.`]
    : [];

/** Returns how many milliseconds each read took. */
async function readUntil(writers: Writers, isOver: () => boolean): Promise<number[]> {
  const took: number[] = [];
  const reads = ["auth/info", "projects/list", "auth/users/list", "auth/keys/list", "runs/list", "audit/list"];
  for (let i = 0; !isOver(); i++) {
    const askedAt = performance.now();
    await writers.read(reads[i % reads.length] ?? "auth/info");
    took.push(performance.now() - askedAt);
    await pause(20);
  }
  return took;
}

function sampleOf(pid: number): Sample {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return { rssBytes: Number(kilobytes) * 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

/** The median of the last fifth, against that of the first fifth after the warm-up. */
function growthOf(samples: readonly Sample[], name: keyof Sample): Growth {
  const warm = samples.slice(Math.floor(samples.length * warmUpShare)).map((sample) => sample[name]);
  const fifth = Math.max(1, Math.floor(warm.length / 5));
  const from = medianOf(warm.slice(0, fifth));
  const to = medianOf(warm.slice(-fifth));
  return { from, to, share: to / from - 1 };
}

const medianOf = (values: readonly number[]): number => quantileOf(values, 0.5);

const quantileOf = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0;

const milliseconds = (figure: number): string => `${figure.toFixed(1)} ms`;
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const signed = (share: number): string => `${share < 0 ? "" : "+"}${percent(share)}`;
const mebibytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);
