import { join } from "node:path";
import { answerTo } from "./calls.ts";
import type { Plan } from "./compare.ts";
import { startConnected, startUpstream } from "./connected.ts";
import { byRateAndCpu } from "./measured-lines.ts";
import { startNodeRed } from "./proxies.ts";
import { inRounds } from "./rounds.ts";
import { measuredInput } from "./steps.ts";
import type { Line } from "./table.ts";
import { type Loaded, startLoad, warmUp } from "./target.ts";

const title = "call in, one call out, respond";
const goal = 3;

/**
 * A call that starts a tool of one step and is answered with the run, once both have ended and are durable; beside a flow
 * of Node-RED that does the same and keeps nothing.
 */
export async function respondBesideNodeRed(folder: string, plan: Plan, hasNodeRed: boolean): Promise<Line[]> {
  if (!hasNodeRed) return [];
  const upstream = await startUpstream();
  const { signalbox, callWith } = await startConnected(join(folder, "respond"), upstream);
  const nodeRed = await startNodeRed(join(folder, "respond"), upstream, measuredInput.path);
  const load = await startLoad();
  try {
    const { headers, body } = callWith(measuredInput);
    const { connection_id } = body as { connection_id: string };
    const steps = [{ name: "ask", step: "deployment_api_call", connection_id, input: measuredInput }];
    const wish = { title: "One call", params_schema: { type: "object" }, steps };
    const made = await answerTo({ path: "/latest/tools/create", headers, body: wish }, signalbox.port);
    const { tool_id } = JSON.parse(made) as { tool_id: string };
    const ours: Loaded = {
      target: signalbox,
      calls: [{ path: `/latest/tools/${tool_id}/trigger`, headers, body: { params: {} } }],
    };
    const theirs: Loaded = { target: nodeRed, calls: [{ method: "GET", path: measuredInput.path, headers: {} }] };
    for (const each of [ours, theirs]) await warmUp(load, each);
    const [own = [], other = []] = await inRounds(
      plan.rounds,
      [ours, theirs].map((each) => () => load.measure(each, plan.seconds)),
      (round) => console.log(`${title}: round ${round + 1} of ${plan.rounds}`),
    );
    return byRateAndCpu(title, own, "Node-RED", other, { rate: goal, cpu: null });
  } finally {
    await Promise.all([load, upstream, signalbox, nodeRed].map((each) => each.stop()));
  }
}
