import { type Findings, type Harness, type HarnessOptions, noFindings } from "../frame/harness.ts";
import { type Simulated, simulate } from "./simulate.ts";

const full = { organizations: 10_000, nodes: 1_000, minutes: 2 };
const small = { organizations: 12, nodes: 3, minutes: 2 };

/** Each cycle is one simulation with a seed of its own. The first cycle is run twice: both traces must be equal. */
async function run({ seed, cycles, folder, log }: HarnessOptions): Promise<Findings> {
  const findings = { ...noFindings(), lost: null, unknown: null, doubled: null };
  const size = cycles === simulation.shortCycles ? small : full;
  let last: Simulated | null = null;
  for (let cycle = 0; cycle < cycles; cycle++) {
    const plan = { ...size, seed: seed + cycle, folder, log };
    last = await simulate(plan);
    findings.cycles++;
    findings.faults = (findings.faults ?? 0) + 1;
    findings.acknowledged = (findings.acknowledged ?? 0) + last.ended;
    findings.broken.push(...last.broken.map((sentence) => `seed ${plan.seed}: ${sentence}`));
    findings.recoverySeconds.push(last.recovery);
    if (cycle > 0) continue;
    const again = await simulate({ ...plan, ...small });
    const twice = size === small ? last : await simulate({ ...plan, ...small });
    if (again.hash !== twice.hash) findings.broken.push(`seed ${plan.seed} gave two traces`);
  }
  return last ? { ...findings, note: noteOf(last, size) } : findings;
}

const percent = (part: number): string => `${(part * 100).toFixed(1)} %`;

const noteOf = (last: Simulated, { organizations, nodes, minutes }: typeof full): string =>
  `${organizations} organizations on ${nodes} nodes for ${minutes} minutes: ${last.runs} runs, ${last.calls} calls, ${last.overruns} refused by systems, ` +
  `least use of a limit with work waiting ${percent(last.utilisation)}, Jain's index ${last.fairness.toFixed(4)}, ` +
  `mean wait for a worker ${last.waitMedian.toFixed(2)} s (median organization) and ${last.waitP99.toFixed(2)} s (99th of 100), ` +
  `ordinary runs end ${last.median.toFixed(1)} s (p99 ${last.p99.toFixed(1)} s) after they are due, ` +
  `${last.late} runs were late when the region came back, trace ${last.hash.slice(0, 12)}`;

export const simulation: Harness = {
  id: "H15",
  name: "simulation",
  title: "many organizations and nodes on a virtual clock; a region is lost",
  stores: ["sqlite"],
  fullCycles: 2,
  shortCycles: 1,
  shortTest: "test/harness/simulation/simulation.test.ts",
  run,
};
