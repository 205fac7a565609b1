import { join } from "node:path";
import { answerTo, callTo } from "./calls.ts";
import { leaveCoreToLoop } from "./load/cores.ts";
import type { CallToMake } from "./load/requests.ts";
import { askedPath, askedTimes } from "./load/runs-job.ts";
import type { Plan } from "./rounds/compare.ts";
import type { LoopFigures } from "./rounds/loop-probe.ts";
import { inRounds, spreadOf } from "./rounds/rounds.ts";
import { type Line, lineOf } from "./rounds/table.ts";
import { type Connected, startConnected, startUpstream } from "./targets/connected.ts";
import { type SeededAccount, seed } from "./targets/seed.ts";
import { type Latency, type Load, startLoad, type Target } from "./targets/target.ts";

const callConnections = 16;
const toolsAtOnce = 64;
const goals = { p99OverP50: 3, pauseMilliseconds: 50 };

/** Long enough that the log is written back in each round, however seldom that happens. */
const secondsMin = 8;
const warmUpSeconds = 12;

const situations = ["alone", `while ${toolsAtOnce} tools run`] as const;
type Situation = (typeof situations)[number];

interface Server {
  name: string;
  target: Target;
  call: CallToMake;
  trigger: CallToMake;
  loop(): Promise<LoopFigures>;
}

interface Figures extends Latency, LoopFigures {
  runsPerSecond: number;
}

/**
 * How long an authenticated call takes at 16 connections: alone, and while 64 runs of a tool of three steps are on their way in the
 * same process. With `BEFORE`, the folder of another checkout with the same schema, that one is measured in the same rounds.
 */
export async function measureLatency(folder: string, plan: Plan): Promise<Line[]> {
  const upstream = await startUpstream();
  const [calls, tools] = [await startLoad(callConnections), await startLoad(toolsAtOnce)];
  const servers: Server[] = [];
  const before = process.env.BEFORE;
  try {
    servers.push(await startServer("now", folder, upstream));
    if (before) servers.push(await startServer("before", folder, upstream, before));
    for (const server of servers) {
      await measure(server, situations[1], { calls, tools }, warmUpSeconds);
      leaveCoreToLoop(server.target.pid);
    }
    const seconds = Math.max(secondsMin, plan.seconds);
    const things = servers.flatMap((server) => situations.map((situation) => ({ server, situation })));
    const figures = await inRounds(
      plan.rounds,
      things.map(
        ({ server, situation }) =>
          () =>
            measure(server, situation, { calls, tools }, seconds),
      ),
      (round) => console.log(`latency: round ${round + 1} of ${plan.rounds}`),
    );
    for (const [index, { server, situation }] of things.entries()) show(server.name, situation, figures[index] ?? []);
    return situations.flatMap((situation, index) =>
      linesOf(situation, figures[index] ?? [], before ? (figures[index + situations.length] ?? []) : null),
    );
  } finally {
    await Promise.all([calls, tools, upstream, ...servers.map(({ target }) => target)].map((each) => each.stop()));
  }
}

async function startServer(name: string, folder: string, upstream: Target, checkout?: string): Promise<Server> {
  const probe = ["--import", new URL("./rounds/loop-probe.ts", import.meta.url).href];
  const connected = await startConnected(join(folder, `latency-${name}`), upstream, probe, checkout);
  const { accounts } = await seed(0);
  return {
    name,
    target: connected.signalbox,
    call: callTo("authenticated call", accounts[0] as SeededAccount),
    trigger: await publishTool(connected),
    loop: () => connected.ask<object, LoopFigures>({}),
  };
}

export async function publishTool({ signalbox, callWith }: Connected): Promise<CallToMake> {
  const input = { method: "GET", path: askedPath };
  const { headers, body } = callWith(input);
  const { connection_id } = body as { connection_id: string };
  const steps = Array.from({ length: askedTimes }, (_, index) => ({
    name: `step_${index}`,
    step: "deployment_api_call",
    connection_id,
    input,
  }));
  const wish = { title: "Three calls", params_schema: { type: "object" }, steps };
  const made = await answerTo({ path: "/latest/tools/create", headers, body: wish }, signalbox.port);
  const { tool_id } = JSON.parse(made) as { tool_id: string };
  await answerTo({ path: `/latest/tools/${tool_id}/publish`, headers, body: {} }, signalbox.port);
  return { path: `/latest/tools/${tool_id}/trigger`, headers, body: { params: {} } };
}

async function measure(
  { target, call, trigger, loop }: Server,
  situation: Situation,
  loads: { calls: Load; tools: Load },
  seconds: number,
): Promise<Figures> {
  await loop();
  const [measured, runs] = await Promise.all([
    loads.calls.measure({ target, calls: [call] }, seconds),
    situation === "alone" ? null : loads.tools.measure({ target, calls: [trigger] }, seconds),
  ]);
  return { ...measured.latency, ...(await loop()), runsPerSecond: runs?.perSecond ?? 0 };
}

/**
 * The goals are judged by the processor time of the loop's own thread: how long a caller who arrives at any moment waits, and
 * the longest pause. The wall clock stands beside without a goal: on a small machine it also counts the load generators,
 * which share the cores, and the disk.
 */
function goalLines(what: string, now: Figures[]): Line[] {
  const allowed = now.map((each) => goals.p99OverP50 * each.waitP50Milliseconds);
  const waits = now.map((each) => each.waitP99Milliseconds);
  const pauses = now.map((each) => each.pauseCpuMilliseconds);
  const goal = pauses.map(() => goals.pauseMilliseconds);
  const longest = lineOf(
    `${what}: longest turn of the loop, by its CPU`,
    "ms",
    pauses,
    { name: "goal", figures: goal },
    1,
  );
  return [
    lineOf(
      `${what}: p99 of waiting for the loop, by its CPU`,
      "ms",
      waits,
      { name: `${goals.p99OverP50} x p50`, figures: allowed },
      1,
    ),
    // In no round, not only in most.
    { ...longest, met: longest.ratio.min >= 1 },
  ];
}

function linesOf(situation: Situation, now: Figures[], before: Figures[] | null): Line[] {
  const what = `authenticated call, ${callConnections} connections, ${situation}`;
  const wall = (name: string, of: (figures: Figures) => number, beside: string, theirs: (figures: Figures) => number) =>
    lineOf(`${what}: ${name}`, "ms", now.map(of), { name: beside, figures: now.map(theirs) }, null);
  const lines = [
    ...goalLines(what, now),
    wall(
      "p99 on the wall clock",
      (each) => each.p99Milliseconds,
      "p50",
      (each) => each.p50Milliseconds,
    ),
    wall(
      "longest pause on the wall clock",
      (each) => each.pauseMilliseconds,
      "its longest statement",
      (each) => each.statementMilliseconds,
    ),
  ];
  if (!before) return lines;
  const beside = (name: string, of: (figures: Figures) => number): Line =>
    lineOf(`${what}: ${name}`, "ms", now.map(of), { name: "before", figures: before.map(of) }, null);
  return [
    ...lines,
    beside("p50", (each) => each.p50Milliseconds),
    beside("p99", (each) => each.p99Milliseconds),
    beside("longest pause of the loop", (each) => each.pauseMilliseconds),
    beside("longest statement in the loop", (each) => each.statementMilliseconds),
  ];
}

/** All that is known of each, the median of the rounds and the worst of them. */
function show(name: string, situation: Situation, figures: Figures[]): void {
  const median = (of: (each: Figures) => number): string => spreadOf(figures.map(of)).median.toFixed(1);
  const worst = (of: (each: Figures) => number): string => spreadOf(figures.map(of)).max.toFixed(1);
  const parts = [
    `p50 ${median((each) => each.p50Milliseconds)} ms`,
    `p99 ${median((each) => each.p99Milliseconds)} ms`,
    `p99/p50 ${median((each) => each.p99Milliseconds / each.p50Milliseconds)}`,
    `by CPU p50 ${median((each) => each.waitP50Milliseconds)} ms`,
    `p99 ${median((each) => each.waitP99Milliseconds)} ms`,
    `p99/p50 ${median((each) => each.waitP99Milliseconds / each.waitP50Milliseconds)}`,
    `worst pause ${worst((each) => each.pauseMilliseconds)} ms (CPU ${worst((each) => each.pauseCpuMilliseconds)} ms)`,
    `longest statement ${worst((each) => each.statementMilliseconds)} ms`,
    `longest write-back aside ${worst((each) => each.writeBackMilliseconds)} ms of ${worst((each) => each.writeBacks)}`,
    `runs ${median((each) => each.runsPerSecond)} /s`,
  ];
  console.log(`${name}, ${situation}: ${parts.join(", ")}`);
}
