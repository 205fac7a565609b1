import { join } from "node:path";
import { cpuSecondsOf } from "./load/cores.ts";
import type { CallToMake } from "./load/requests.ts";
import { hasNginx, startBareProxy, startNginx, startNodeRed } from "./peers/proxies.ts";
import type { Plan } from "./rounds/compare.ts";
import { byRateAndCpu, ratesOf } from "./rounds/measured-lines.ts";
import { inRounds } from "./rounds/rounds.ts";
import { type Line, lineOf } from "./rounds/table.ts";
import { startConnected, startUpstream } from "./targets/connected.ts";
import { type Load, type Loaded, type Measured, startLoad, type Target, warmUp } from "./targets/target.ts";

const title = "API Call step";
export const measuredInput = { method: "GET", path: "/v9/projects/web" } as const;
const goals = { rate: 0.4, cpu: 0.4 };
const nodeRedGoal = 3;

/**
 * One read through an API Call step, everything on, beside others that hand the same request on to the same system. They get
 * it as a plain GET; Signalbox gets a POST with the request described in it, knows who asks, and keeps the run.
 */
export async function compareProxies(folder: string, plan: Plan, hasNodeRed: boolean): Promise<Line[]> {
  const upstream = await startUpstream();
  const { signalbox, callWith } = await startConnected(join(folder, "steps"), upstream);
  const { path, method } = measuredInput;
  const others = [
    await startBareProxy(upstream),
    ...(hasNodeRed ? [await startNodeRed(folder, upstream, path)] : []),
    ...(hasNginx() ? [await startNginx(folder, upstream)] : []),
  ];
  const plain: CallToMake[] = [{ method, path, headers: {} }];
  const loaded: Loaded[] = [
    { target: signalbox, calls: [callWith(measuredInput)] },
    ...others.map((target) => ({ target, calls: plain })),
  ];
  const load = await startLoad();
  try {
    for (const each of loaded) await warmUp(load, each);
    const figures = await inRounds(
      plan.rounds,
      loaded.map((each) => () => measureBoth(load, each, upstream, plan.seconds)),
      (round) => console.log(`${title}: round ${round + 1} of ${plan.rounds}`),
    );
    return linesOf(others, figures);
  } finally {
    await Promise.all([load, upstream, signalbox, ...others].map((each) => each.stop()));
  }
}

/** The system shares the load's core: what it used counts as the load's. */
async function measureBoth(load: Load, loaded: Loaded, upstream: Target, seconds: number): Promise<Measured> {
  const before = cpuSecondsOf(upstream.pid) ?? 0;
  const measured = await load.measure(loaded, seconds);
  const used = (cpuSecondsOf(upstream.pid) ?? 0) - before;
  return { ...measured, loadBusy: measured.loadBusy + used / seconds };
}

function linesOf(others: Target[], [ours = [], ...theirs]: Measured[][]): Line[] {
  return others.flatMap(({ name }, index) => {
    const figures = theirs[index] ?? [];
    const busiest = Math.max(...figures.map((figure) => figure.loadBusy));
    if (busiest > 0.95) console.log(`${name}: load and system filled their core; it may be faster yet.`);
    if (index === 0) return byRateAndCpu(title, ours, name, figures, goals);
    return [
      lineOf(title, "/s", ratesOf(ours), { name, figures: ratesOf(figures) }, name === "Node-RED" ? nodeRedGoal : null),
    ];
  });
}
