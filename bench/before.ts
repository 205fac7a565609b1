import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { answerTo, callTo, measurables } from "./calls.ts";
import { startUpstream, upstreamOrigin } from "./connected.ts";
import { byRateAndCpu } from "./measured-lines.ts";
import type { CallToMake } from "./requests.ts";
import { inRounds } from "./rounds.ts";
import { startSignalbox } from "./signalbox-server.ts";
import { measuredInput } from "./steps.ts";
import type { Line } from "./table.ts";
import { type Loaded, startLoad, type Target, warmUp } from "./target.ts";

/** Below this, a change has made a call slower: two runs of one version differ by less. */
const goals = { rate: 0.95, cpu: 0.95 };

/** The speed of a machine may change from second to second: many short rounds put both versions into the same ones. */
const plan = { rounds: 25, seconds: 0.6 };

interface Version {
  target: Target;
  calls: Map<string, CallToMake>;
}

/** This version beside another checkout of it, in interleaved rounds: is any call slower than before? */
export async function compareBefore(folder: string, otherCheckout: string): Promise<Line[]> {
  const upstream = await startUpstream();
  const now = await startVersion(join(folder, "now"), upstream);
  const before = await startVersion(join(folder, "before"), upstream, resolve(otherCheckout));
  const load = await startLoad();
  const lines: Line[] = [];
  try {
    const only = process.env.ONLY;
    for (const title of [...now.calls.keys()].filter((each) => only === undefined || each === only)) {
      const loaded = [now, before].map(({ target, calls }) => ({ target, calls: [calls.get(title)] }) as Loaded);
      for (const each of loaded) await warmUp(load, each);
      const [ours = [], theirs = []] = await inRounds(
        plan.rounds,
        loaded.map((each) => () => load.measure(each, plan.seconds)),
        (round) => console.log(`${title}: round ${round + 1} of ${plan.rounds}`),
      );
      lines.push(...byRateAndCpu(title, ours, "before", theirs, goals));
    }
  } finally {
    await Promise.all([load, upstream, now.target, before.target].map((each) => each.stop()));
  }
  return lines;
}

/** Each version sets itself up in an empty folder, so that their schemas may differ. */
async function startVersion(home: string, upstream: Target, checkout?: string): Promise<Version> {
  const origin = upstreamOrigin(upstream);
  const settings = { SIGNALBOX_PRIVATE_HOSTS: origin, SIGNALBOX_SANDBOXES: "off" };
  const target = await startSignalbox(home, [], settings, checkout);
  const firstRun = JSON.parse(readFileSync(join(home, "first-run.json"), "utf8"));
  const account = firstRun.regions.us;
  const headers = { authorization: `Bearer ${account.project_id}:${account.api_key}` };
  const answer = async (path: string, body: Record<string, unknown>): Promise<Record<string, string>> =>
    JSON.parse(await answerTo({ path: `/latest/${path}`, headers, body }, target.port));
  const { connection_id } = await answer("connections/connect", {
    system: "deployment",
    instance: origin,
    credentials: { token: "a-token-of-the-bench" },
  });
  const step = { name: "read", step: "deployment_api_call", connection_id, input: measuredInput };
  const { tool_id } = await answer("tools/create", { title: "Bench", steps: [step] });
  await answer(`tools/${tool_id}/publish`, {});
  return {
    target,
    calls: new Map([
      ...measurables.map((what) => [what, callTo(what, account)] as const),
      [
        "API Call step",
        { path: "/latest/steps/deployment_api_call/run", headers, body: { connection_id, input: measuredInput } },
      ],
      ["tool of one step", { path: `/latest/tools/${tool_id}/trigger`, headers, body: { wait_seconds: 30 } }],
    ]),
  };
}
