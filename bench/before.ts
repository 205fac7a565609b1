import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { answerTo, callTo, measurables } from "./calls.ts";
import type { CallToMake } from "./load/requests.ts";
import { byRateAndCpu } from "./rounds/measured-lines.ts";
import type { Line } from "./rounds/table.ts";
import { measuredInput } from "./steps.ts";
import { startUpstream, upstreamOrigin } from "./targets/connected.ts";
import { startSignalbox } from "./targets/signalbox-server.ts";
import { type Load, type Loaded, type Measured, startLoad, type Target, warmUp } from "./targets/target.ts";

/** One version beside itself came out at 0.92 to 0.99 by CPU: repeat a run that misses this, and profile both versions. */
const goals = { rate: 0.95, cpu: 0.95 };

/**
 * Two processes of one version may differ by a tenth and more, and the speed of a machine changes from second to second. So each round starts both versions anew, in turn first, and loads them at the same time on one core.
 */
const plan = { rounds: 8, seconds: 6 };

interface Version {
  target: Target;
  calls: Map<string, CallToMake>;
}

interface Both<T> {
  now: T;
  before: T;
}

type Figures = Map<string, Both<Measured[]>>;

/** This version beside another checkout of it: is any call slower than before? */
export async function compareBefore(folder: string, otherCheckout: string): Promise<Line[]> {
  const upstream = await startUpstream();
  const loads = { now: await startLoad(), before: await startLoad() };
  const figures: Figures = new Map();
  try {
    for (let round = 0; round < plan.rounds; round++) {
      const home = join(folder, `round-${round}`);
      const startNow = () => startVersion(join(home, "now"), upstream);
      const startBefore = () => startVersion(join(home, "before"), upstream, resolve(otherCheckout));
      const versions = await startInTurn(round, startNow, startBefore);
      console.log(`round ${round + 1} of ${plan.rounds}`);
      await measureBoth(versions, loads, figures);
    }
  } finally {
    await Promise.all([loads.now, loads.before, upstream].map((each) => each.stop()));
  }
  return [...figures].flatMap(([title, { now, before }]) => byRateAndCpu(title, now, "before", before, goals));
}

async function startInTurn<T>(
  round: number,
  startNow: () => Promise<T>,
  startBefore: () => Promise<T>,
): Promise<Both<T>> {
  if (round % 2 === 0) {
    const now = await startNow();
    return { now, before: await startBefore() };
  }
  const before = await startBefore();
  return { now: await startNow(), before };
}

async function measureBoth(versions: Both<Version>, loads: Both<Load>, figures: Figures): Promise<void> {
  const only = process.env.ONLY;
  try {
    for (const title of [...versions.now.calls.keys()].filter((each) => only === undefined || each === only)) {
      const loadOf = ({ target, calls }: Version) => ({ target, calls: [calls.get(title)] }) as Loaded;
      const [now, before] = [loadOf(versions.now), loadOf(versions.before)];
      await Promise.all([warmUp(loads.now, now), warmUp(loads.before, before)]);
      const [ours, theirs] = await Promise.all([
        loads.now.measure(now, plan.seconds),
        loads.before.measure(before, plan.seconds),
      ]);
      const kept = figures.get(title) ?? { now: [], before: [] };
      figures.set(title, { now: [...kept.now, ours], before: [...kept.before, theirs] });
    }
  } finally {
    await Promise.all([versions.now, versions.before].map((version) => version.target.stop()));
  }
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
  const step = { step: "deployment_api_call", connection_id, input: measuredInput };
  const triggerOf = async (stepNames: string[]): Promise<CallToMake> => {
    const steps = stepNames.map((name) => ({ ...step, name }));
    const { tool_id } = await answer("tools/create", { title: "Bench", steps });
    await answer(`tools/${tool_id}/publish`, {});
    return { path: `/latest/tools/${tool_id}/trigger`, headers, body: { wait_seconds: 30 } };
  };
  return {
    target,
    calls: new Map([
      ...measurables.map((what) => [what, callTo(what, account)] as const),
      [
        "API Call step",
        { path: "/latest/steps/deployment_api_call/run", headers, body: { connection_id, input: measuredInput } },
      ],
      ["tool of one step", await triggerOf(["read"])],
      ["tool of three steps", await triggerOf(["first", "second", "third"])],
    ]),
  };
}
