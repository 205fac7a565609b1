import { join } from "node:path";
import { hasN8n, n8nPath, startN8n } from "./peers/n8n.ts";
import { startNodeRed } from "./peers/proxies.ts";
import type { Plan } from "./rounds/compare.ts";
import { byRateAndCpu, ratesOf } from "./rounds/measured-lines.ts";
import { inRounds } from "./rounds/rounds.ts";
import { type Line, lineOf } from "./rounds/table.ts";
import { measuredInput } from "./steps.ts";
import { startConnected, startUpstream, triggerOfOneStep } from "./targets/connected.ts";
import { type Loaded, startLoad, type Target, warmUp } from "./targets/target.ts";

const title = "call in, one call out, respond";
const goals = { nodeRed: 1.5, n8n: 50 };

/**
 * A call that starts a tool of one step and is answered with the run, once both have ended and are durable; beside a flow
 * of Node-RED that does the same and keeps nothing, and one of n8n where there is one.
 */
export async function respondBesideOthers(folder: string, plan: Plan, hasNodeRed: boolean): Promise<Line[]> {
  if (!hasNodeRed && !hasN8n()) return [];
  const upstream = await startUpstream();
  const home = join(folder, "respond");
  const { signalbox, callWith } = await startConnected(home, upstream);
  const nodeRed = hasNodeRed ? await startNodeRed(home, upstream, measuredInput.path) : null;
  const n8n = hasN8n() ? await startN8n(home, upstream, measuredInput.path) : null;
  const load = await startLoad();
  try {
    const ours: Loaded = { target: signalbox, calls: [await triggerOfOneStep(signalbox, callWith(measuredInput))] };
    const asking = (target: Target, path: string): Loaded => ({
      target,
      calls: [{ method: "GET", path, headers: {} }],
    });
    const others = [...(nodeRed ? [asking(nodeRed, measuredInput.path)] : []), ...(n8n ? [asking(n8n, n8nPath)] : [])];
    for (const each of [ours, ...others]) await warmUp(load, each);
    const [own = [], ...theirs] = await inRounds(
      plan.rounds,
      [ours, ...others].map((each) => () => load.measure(each, plan.seconds)),
      (round) => console.log(`${title}: round ${round + 1} of ${plan.rounds}`),
    );
    return others.flatMap(({ target: { name } }, index) => {
      const figures = theirs[index] ?? [];
      if (name === "n8n") return [lineOf(title, "/s", ratesOf(own), { name, figures: ratesOf(figures) }, goals.n8n)];
      return byRateAndCpu(title, own, name, figures, { rate: goals.nodeRed, cpu: null });
    });
  } finally {
    await Promise.all([load, upstream, signalbox, nodeRed, n8n].map((each) => each?.stop()));
  }
}
