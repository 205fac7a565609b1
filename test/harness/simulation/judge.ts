import { systems } from "../../../src/systems/index.ts";
import type { Run } from "./node.ts";
import type { Region } from "./region.ts";
import type { Organization } from "./tenants.ts";

/** What one simulation has shown. Times are seconds of its clock. */
export interface Judgement {
  runs: number;
  ended: number;
  calls: number;
  /** Calls that a system refused because of a limit: the limiter let too many through. */
  overruns: number;
  /** Calls that failed at a system for another reason. */
  faults: number;
  /** Runs that two living nodes worked on at the same time. */
  doubled: number;
  /** Of organizations that always have runs waiting: how much of the tightest limit of their account they used, the least of each system. */
  utilisation: Record<string, number>;
  /** Jain's index over what such organizations of one system used, the least of the systems: 1 if all got the same. */
  fairness: number;
  /** From due to a worker, the mean of each ordinary organization of regions that were never lost: the median one, and the 99th of 100. */
  waitMedian: number;
  waitP99: number;
  /** From due to done, of those runs of the same organizations that had no failed call: others wait for their retry. */
  median: number;
  p99: number;
  /** Of the lost region: ordinary runs that were late when it was back, and the time from then until the last of them was done. */
  late: number;
  recovery: number;
  broken: string[];
}

export interface Judged {
  regions: readonly Region[];
  lost: Region;
  organizations: readonly Organization[];
  backAt: number;
  now: number;
}

const minuteMs = 60_000;
/** A node looks for due schedules every five seconds, and for runs every two. */
const waitSecondsMax = 10;
export const isDone = (run: Run): boolean => run.doneAt !== null;

export function judge({ regions, lost, organizations, backAt, now }: Judged): Judgement {
  const all = regions.flatMap((region) => region.runs());
  const ordinary = (region: Region): Run[] => region.runs().filter(({ organization }) => !organization.isGreedy);
  const untouched = regions.filter((region) => region !== lost).flatMap(ordinary);
  const delays = ascending(
    untouched
      .filter((run) => isDone(run) && run.failures === 0)
      .map(({ dueAt, doneAt }) => ((doneAt ?? dueAt) - dueAt) / 1000),
  );
  const waits = waitsOf(untouched, now);
  const ofLost = new Set(lost.runs().map(({ organization }) => organization));
  const greedy = organizations.filter((each) => each.isGreedy && !ofLost.has(each)).map(({ account }) => account);
  const used = [...Map.groupBy(greedy, ({ system }) => system)].map(
    ([system, accounts]) => [system, accounts.map((account) => account.used())] as const,
  );
  const late = ordinary(lost).filter(({ dueAt, doneAt }) => dueAt < backAt && (doneAt ?? now) >= backAt);
  const lastLate = Math.max(backAt, ...late.map(({ doneAt }) => doneAt ?? Number.POSITIVE_INFINITY));
  const result = {
    runs: all.length,
    ended: all.filter(isDone).length,
    calls: all.reduce((before, { organization, callsLeft }) => before + organization.callsPerRun - callsLeft, 0),
    overruns: regions.reduce((before, region) => before + region.overruns(), 0),
    faults: organizations.reduce((before, { account }) => before + account.faults(), 0),
    doubled: regions.reduce((before, region) => before + region.doubled(), 0),
    utilisation: Object.fromEntries(used.map(([system, shares]) => [system, Math.min(...shares)])),
    fairness: Math.min(...used.map(([, shares]) => jain(shares))),
    waitMedian: at(waits, 0.5),
    waitP99: at(waits, 0.99),
    median: at(delays, 0.5),
    p99: at(delays, 0.99),
    late: late.length,
    recovery: (lastLate - backAt) / 1000,
  };
  const isOld = ({ organization, dueAt, doneAt }: Run) =>
    !organization.isGreedy && doneAt === null && dueAt < now - minuteMs;
  return { ...result, broken: brokenIn(result, all.filter(isOld).length) };
}

const ascending = (figures: number[]): number[] => figures.sort((one, other) => one - other);
const at = (sorted: readonly number[], share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;

/** The mean wait for a worker of each organization. A run that still waits has waited until now. */
function waitsOf(runs: readonly Run[], now: number): number[] {
  const byOrganization = Map.groupBy(runs, ({ organization }) => organization).values();
  const sum = (of: readonly Run[]) => of.reduce((before, { takenAt, dueAt }) => before + (takenAt ?? now) - dueAt, 0);
  return ascending([...byOrganization].map((of) => sum(of) / of.length / 1000));
}

function jain(shares: readonly number[]): number {
  const sum = shares.reduce((before, each) => before + each, 0);
  const squares = shares.reduce((before, each) => before + each * each, 0);
  return squares === 0 ? 1 : (sum * sum) / (shares.length * squares);
}

/** The promises, as sentences about what broke them. */
function brokenIn(result: Omit<Judgement, "broken">, forgotten: number): string[] {
  const broken: string[] = [];
  const { overruns, doubled, faults, utilisation, fairness, waitP99, p99, late, recovery } = result;
  if (overruns > 0) broken.push(`systems refused ${overruns} calls because of their limits`);
  if (doubled > 0) broken.push(`two nodes worked on ${doubled} runs at the same time`);
  if (faults === 0) broken.push("no call failed, so no retry was seen");
  for (const { id } of systems) {
    const least = utilisation[id] ?? 0;
    if (least < 0.9) broken.push(`an organization with work for ${id} used only ${least} of its limit`);
  }
  if (fairness < 0.98) broken.push(`organizations with equal work got different shares: ${fairness}`);
  if (waitP99 > waitSecondsMax)
    broken.push(`ordinary organizations of untouched regions waited ${waitP99} s for a worker`);
  if (p99 > 30) broken.push(`ordinary runs of untouched regions ended ${p99} s after they were due`);
  if (forgotten > 0) broken.push(`${forgotten} runs were due a minute ago and have not ended`);
  if (late === 0) broken.push("no run was late when the lost region was back, so its recovery was not seen");
  if (recovery > 60) broken.push(`the lost region needed ${recovery} s to catch up`);
  return broken;
}
