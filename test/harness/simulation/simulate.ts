import { createHash } from "node:crypto";
import { join } from "node:path";
import { migrate } from "../../../src/store/migrate.ts";
import { openSqlite } from "../../../src/store/sqlite/sqlite.ts";
import { createRandoms } from "./random.ts";
import { createRegion, type Organization, type Region, type Run } from "./region.ts";
import { createAccount } from "./vendor.ts";
import { createVirtualTime, type VirtualTime } from "./virtual-time.ts";

export interface Plan {
  seed: number;
  organizations: number;
  nodes: number;
  minutes: number;
  folder: string;
  log(line: string): void;
}

/** What one simulation has shown. Times are seconds of its clock. */
export interface Simulated {
  /** Equal for equal plans: of everything that happened, in order. */
  hash: string;
  runs: number;
  ended: number;
  calls: number;
  /** Calls that a system refused because of a limit: the limiter let too many through. */
  refusedBySystem: number;
  /** Of organizations that always have runs waiting: how much of their window limit they used, the least of them. */
  utilisation: number;
  /** Jain's index over the calls of these organizations: 1 if all got the same. */
  fairness: number;
  /** From due to done, of the ordinary organizations: regions that were never lost. */
  median: number;
  p99: number;
  /** Of the lost region: from the start of new nodes until no ordinary run is later than the p99 before the loss, or 1 s. */
  recovery: number | null;
  broken: string[];
}

const regionNames = ["us", "eu", "apac"];
const startsAt = Date.parse("2030-03-05T18:00:30Z");
const minuteMs = 60_000;
/** So many organizations start far more than their accounts allow. All have accounts at the marketing system, whose window is fixed. */
const greedyCount = 18;

/**
 * Organizations with schedules and accounts at the three systems, in three regions of many nodes. In the second minute one region loses all
 * nodes at once; a minute later it has new ones. The limiter, the capacity of workers and the times of schedules are the product's; the clock,
 * the network, the systems and the processes are the model's.
 */
export async function simulate({ seed, organizations: count, nodes, minutes, folder, log }: Plan): Promise<Simulated> {
  const randomOf = createRandoms(seed);
  const time = createVirtualTime(startsAt);
  // One for each region: what regions do at the same moment has no order.
  const traces = regionNames.map(() => createHash("sha256"));
  const organizations = Array.from({ length: count }, (_, index) =>
    organizationOf(index, isGreedyAt(index, count), time, randomOf(`organization ${index}`)),
  );
  const stores = await Promise.all(
    regionNames.map(async (name) => {
      const store = openSqlite(join(folder, `${name}-${seed}-${Math.random()}.sqlite`), { outlives: "the process" });
      await migrate(store, new Date(startsAt));
      return store;
    }),
  );
  const regions = regionNames.map((name, index) =>
    createRegion({
      name,
      store: time.watch(stores[index] as (typeof stores)[number]),
      time,
      randomOf,
      organizations: organizations.filter(
        (_, each) => Math.floor(each / regionNames.length) % regionNames.length === index,
      ),
      note: (what) => void traces[index]?.update(`${time.now()} ${what}\n`),
    }),
  );
  for (const region of regions) region.startNodes(Math.max(1, Math.floor(nodes / regions.length)));
  const greedy = organizations.filter(({ isGreedy }) => isGreedy);
  regions.forEach((region, index) => {
    for (const each of greedy)
      if (regionIndexOf(organizations.indexOf(each)) === index) region.flood(each, minutes * 400);
  });

  const lostAt = startsAt + minuteMs * 1.5;
  const backAt = lostAt + minuteMs;
  const lost = regions[1] as Region;
  for (let minute = 1; minute <= minutes * 2; minute++) {
    const until = startsAt + (minute * minuteMs) / 2;
    if (until - minuteMs / 2 === lostAt) lost.loseNodes();
    if (until - minuteMs / 2 === backAt) lost.startNodes(Math.max(1, Math.floor(nodes / regions.length)));
    await time.advanceTo(until);
    log(
      `${(until - startsAt) / 1000} s: ${regions.map(({ runs }) => `${runs.filter(isDone).length} of ${runs.length}`).join(", ")} runs`,
    );
  }
  const result = judge({ regions, lost, greedy, backAt, lostAt, now: time.now(), minutes });
  for (const region of regions) region.loseNodes();
  for (const store of stores) await store.close();
  return { ...result, hash: traces.map((trace) => trace.digest("hex").slice(0, 12)).join(".") };
}

const regionIndexOf = (organization: number): number =>
  Math.floor(organization / regionNames.length) % regionNames.length;
const isDone = (run: Run): boolean => run.doneAt !== null;

const isGreedyAt = (index: number, count: number): boolean =>
  index % (regionNames.length * Math.max(8, Math.floor(count / regionNames.length / greedyCount))) === 0;

function organizationOf(index: number, isGreedy: boolean, time: VirtualTime, random: () => number): Organization {
  const everyMinutes = [1, 1, 2][Math.floor(random() * 3)];
  return {
    id: `org_${index}`,
    account: createAccount(index, time, random),
    timing: { cron: `*/${everyMinutes} * * * *`, timeZone: "UTC" },
    misfire: "all",
    callsPerRun: 1 + Math.floor(random() * 3),
    isGreedy,
  };
}

interface Judged {
  regions: readonly Region[];
  lost: Region;
  greedy: readonly Organization[];
  lostAt: number;
  backAt: number;
  now: number;
  minutes: number;
}

function judge({ regions, lost, greedy, lostAt, backAt, now, minutes }: Judged): Omit<Simulated, "hash"> {
  const all = regions.flatMap(({ runs }) => runs);
  const ordinary = (region: Region): Run[] => region.runs.filter(({ organization }) => !organization.isGreedy);
  const untouched = regions.filter((region) => region !== lost);
  const delays = untouched
    .flatMap(ordinary)
    .filter(isDone)
    .map(delayOf)
    .sort((one, other) => one - other);
  const p99 = delays[Math.floor(delays.length * 0.99)] ?? 0;
  const ofUntouched = greedy.filter((each) =>
    untouched.some(({ runs }) => runs.some((run) => run.organization === each)),
  );
  const used = ofUntouched.map(({ account }) => account.arrived() / (account.allowed(minutes * minuteMs) ?? 1));
  const sum = used.reduce((before, each) => before + each, 0);
  const squares = used.reduce((before, each) => before + each * each, 0);
  const late = ordinary(lost).filter(({ dueAt, doneAt }) => dueAt < backAt && (doneAt ?? now) >= backAt);
  const lastLate = Math.max(backAt, ...late.map(({ doneAt }) => doneAt ?? Number.POSITIVE_INFINITY));
  const result = {
    runs: all.length,
    ended: all.filter(isDone).length,
    calls: all.reduce((before, { organization, callsLeft }) => before + organization.callsPerRun - callsLeft, 0),
    refusedBySystem: regions.reduce((before, region) => before + region.refusedBySystem(), 0),
    utilisation: Math.min(1, ...used),
    fairness: squares === 0 ? 1 : (sum * sum) / (used.length * squares),
    median: (delays[Math.floor(delays.length / 2)] ?? 0) / 1000,
    p99: p99 / 1000,
    recovery: now > backAt ? (lastLate - backAt) / 1000 : null,
  };
  return { ...result, broken: brokenIn(result, regions, lostAt, now) };
}

const delayOf = ({ dueAt, doneAt }: Run): number => (doneAt ?? dueAt) - dueAt;

/** The promises, as sentences about what broke them. */
function brokenIn(
  result: Omit<Simulated, "hash" | "broken">,
  regions: readonly Region[],
  lostAt: number,
  now: number,
): string[] {
  const broken: string[] = [];
  if (result.refusedBySystem > 0)
    broken.push(`systems refused ${result.refusedBySystem} calls because of their limits`);
  if (result.utilisation < 0.9) broken.push(`an organization with work used only ${result.utilisation} of its limit`);
  if (result.fairness < 0.98) broken.push(`organizations with equal work got different shares: ${result.fairness}`);
  if (result.p99 > 30) broken.push(`ordinary runs of untouched regions ended ${result.p99} s after they were due`);
  const isOld = ({ organization, dueAt, doneAt }: Run) =>
    !organization.isGreedy && doneAt === null && dueAt < now - minuteMs;
  const forgotten = regions.flatMap(({ runs }) => runs).filter(isOld).length;
  if (forgotten > 0) broken.push(`${forgotten} runs were due a minute ago and have not ended`);
  if (now > lostAt + 2 * minuteMs && result.recovery !== null && !(result.recovery <= 60))
    broken.push(`the lost region needed ${result.recovery} s to catch up`);
  return broken;
}
