import { createHash } from "node:crypto";
import { join } from "node:path";
import { regions as regionNames } from "../../../src/kernel/regions.ts";
import type { Store } from "../../../src/store/db.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { openSqlite } from "../../../src/store/sqlite/sqlite.ts";
import { systems } from "../../../src/systems/index.ts";
import { isDone, type Judgement, judge } from "./judge.ts";
import { createRandoms } from "./random.ts";
import { createRegion, type Region } from "./region.ts";
import { insertTenants, type Organization } from "./tenants.ts";
import { createAccount } from "./vendor.ts";
import { createVirtualTime, type VirtualTime } from "./virtual-time.ts";

export interface Plan {
  seed: number;
  organizations: number;
  nodes: number;
  minutes: number;
  /** For how many windows the greedy ones have work at once at the beginning; more costs more time. */
  windowsAtOnce: number;
  folder: string;
  log(line: string): void;
}

export interface Simulated extends Judgement {
  /** Equal for equal plans: of everything that happened, in order. */
  hash: string;
}

const startsAt = Date.parse("2030-03-05T18:00:30Z");
const minuteMs = 60_000;
/** While the runs of 18:01 are on their way. */
const lostAt = startsAt + minuteMs / 2 + 700;
const backAt = lostAt + minuteMs;
/** So many organizations of each system start more than their accounts allow. */
const greedyCount = 6;
/** The calls that each of them wants to make in this time: what its account allows at most, and a tenth more. */
const wantedMs = 20_000;
const wantedCalls: Record<string, number> = { marketing: 110, deployment: 66, analytics: 110 };

/**
 * Organizations with schedules and accounts at the three systems, in three regions of many nodes. After half a minute one region loses all
 * nodes at once; a minute later it has new ones. The limiter, the schedules, the queue of runs with its leases, and the capacity of
 * workers are the product's, on its own store; the clock, the network, the systems, their failures and the processes are the model's.
 */
export async function simulate(plan: Plan): Promise<Simulated> {
  const { seed, organizations: count, nodes, minutes, folder, log } = plan;
  const randomOf = createRandoms(seed);
  const time = createVirtualTime(startsAt);
  // One for each region: what regions do at the same moment has no order.
  const traces = regionNames.map(() => createHash("sha256"));
  const organizations = Array.from({ length: count }, (_, index) =>
    organizationOf(index, isGreedyAt(index, count), time, randomOf(`organization ${index}`)),
  );
  const stores: Store[] = [];
  const regions: Region[] = [];
  for (const [index, name] of regionNames.entries()) {
    const store = openSqlite(join(folder, `${name}-${seed}-${Math.random()}.sqlite`), { outlives: "the process" });
    stores.push(store);
    await migrate(store, new Date(startsAt));
    const own = organizations.filter((_, each) => regionIndexOf(each) === index);
    await insertTenants(store, name, own, new Date(startsAt));
    const note = (what: string) => void traces[index]?.update(`${time.now()} ${what}\n`);
    regions.push(createRegion({ name, store: time.watch(store), time, randomOf, organizations: own, note }));
  }
  const nodesOfRegion = Math.max(1, Math.floor(nodes / regions.length));
  for (const region of regions) region.startNodes(nodesOfRegion);
  const milliseconds = minutes * minuteMs;
  for (const [index, each] of organizations.entries())
    if (each.isGreedy) feed(regions[regionIndexOf(index)] as Region, each, time, plan);

  const lost = regions[1] as Region;
  const advance = async (until: number) => {
    await time.advanceTo(until);
    const ended = regions.map((region) => `${region.runs().filter(isDone).length} of ${region.runs().length}`);
    log(`${(until - startsAt) / 1000} s: ${ended.join(", ")} runs`);
  };
  await advance(lostAt);
  lost.loseNodes();
  await advance(backAt);
  lost.startNodes(nodesOfRegion);
  for (let at = startsAt + 2 * minuteMs; at <= startsAt + milliseconds; at += minuteMs / 2) await advance(at);

  const result = judge({ regions, lost, organizations, backAt, now: time.now() });
  for (const region of regions) region.loseNodes();
  for (const store of stores) await store.close();
  return { ...result, hash: traces.map((trace) => trace.digest("hex").slice(0, 12)).join(".") };
}

/** Neighbours have accounts at different systems, and are in one region. */
const regionIndexOf = (organization: number): number => Math.floor(organization / systems.length) % regionNames.length;

/** More runs each time than the account allows in it: some are always waiting. */
function feed(region: Region, organization: Organization, time: VirtualTime, { minutes, windowsAtOnce }: Plan): void {
  const count = Math.ceil((wantedCalls[organization.account.system] ?? 0) / organization.callsPerRun);
  const flood = () => void region.flood(organization, count);
  for (let more = 1; more < windowsAtOnce; more++) flood();
  for (let at = 0; at < minutes * minuteMs; at += wantedMs) time.after(at, flood);
}

/** Every so many, one of each system together, in each region in turn. */
function isGreedyAt(index: number, count: number): boolean {
  const apart = Math.max(4, Math.floor(count / systems.length / greedyCount));
  return Math.floor(index / systems.length) % (apart % regionNames.length === 0 ? apart + 1 : apart) === 0;
}

function organizationOf(index: number, isGreedy: boolean, time: VirtualTime, random: () => number): Organization {
  const number = String(index).padStart(6, "0");
  return {
    ...{ id: `org_${number}`, projectId: `prj_${number}`, userId: `usr_${number}`, toolId: `tol_${number}` },
    account: createAccount(index, time, random),
    everyMinutes: [1, 1, 2][Math.floor(random() * 3)] ?? 1,
    callsPerRun: 1 + Math.floor(random() * 3),
    isGreedy,
  };
}
