import { type Findings, type Harness, type HarnessOptions, noFindings } from "../frame/harness.ts";
import { type Simulated, simulate } from "./simulate.ts";

const full = { organizations: 10_000, nodes: 1_000, minutes: 2, windowsAtOnce: 2 };
const small = { organizations: 12, nodes: 3, minutes: 2, windowsAtOnce: 1 };

/** In full, each cycle has a seed of its own. The short version runs one seed again and again: all traces must be equal. */
async function run({ seed, cycles, isShort, folder, log }: HarnessOptions): Promise<Findings> {
  const findings = { ...noFindings(), lost: null, unknown: null };
  const size = isShort ? small : full;
  const traces = new Set<string>();
  let last: Simulated | null = null;
  for (let cycle = 0; cycle < cycles; cycle++) {
    const own = isShort ? seed : seed + cycle;
    last = await simulate({ ...size, seed: own, folder, log });
    traces.add(last.hash);
    findings.cycles++;
    findings.faults = (findings.faults ?? 0) + 1 + last.faults;
    findings.doubled = (findings.doubled ?? 0) + last.doubled;
    findings.acknowledged = (findings.acknowledged ?? 0) + last.ended;
    findings.broken.push(...last.broken.map((sentence) => `seed ${own}: ${sentence}`));
    findings.recoverySeconds.push(last.recovery);
  }
  if (isShort && traces.size > 1) findings.broken.push(`seed ${seed} gave ${traces.size} traces`);
  return last ? { ...findings, note: noteOf(last, size) } : findings;
}

const percent = (part: number): string => `${(part * 100).toFixed(1)} %`;

const usesOf = (utilisation: Record<string, number>): string =>
  Object.entries(utilisation)
    .map(([system, least]) => `${percent(least)} (${system})`)
    .join(", ");

const noteOf = (last: Simulated, { organizations, nodes, minutes }: typeof full): string =>
  `${organizations} organizations on ${nodes} nodes for ${minutes} minutes: ${last.runs} runs, ${last.calls} calls, ${last.faults} more failed, ${last.overruns} refused by systems, ` +
  `least use of a limit with work waiting ${usesOf(last.utilisation)}, Jain's index ${last.fairness.toFixed(4)}, ` +
  `mean wait for a worker ${last.waitMedian.toFixed(2)} s (median organization) and ${last.waitP99.toFixed(2)} s (99th of 100), ` +
  `ordinary runs without a failed call end ${last.median.toFixed(1)} s (p99 ${last.p99.toFixed(1)} s) after they are due, ` +
  `${last.late} runs were late when the region was back, trace ${last.hash.slice(0, 12)}`;

export const simulation: Harness = {
  id: "H15",
  name: "simulation",
  title: "many organizations and nodes on a virtual clock; calls fail, and a region is lost",
  stores: ["sqlite"],
  fullCycles: 1,
  shortCycles: 2,
  shortTest: "test/harness/simulation/simulation.test.ts",
  run,
};
