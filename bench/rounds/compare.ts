import { cpSync } from "node:fs";
import { join } from "node:path";
import { answerTo, callTo, type Measurable } from "../calls.ts";
import { startChild } from "../load/child.ts";
import { type PeerServer, peerSetUps, startPeer } from "../peers/peer-server.ts";
import { type SeededAccount, seed } from "../targets/seed.ts";
import { startSignalbox } from "../targets/signalbox-server.ts";
import { type Loaded, type Measured, startLoad, type Target, warmUp } from "../targets/target.ts";
import { byRateAndCpu, ratesOf } from "./measured-lines.ts";
import { inRounds } from "./rounds.ts";
import { type Line, lineOf } from "./table.ts";

export interface Plan {
  rounds: number;
  seconds: number;
}

interface Comparison {
  title: string;
  what: Measurable;
  /** With one key all the time, or with the keys of all accounts in turn. */
  keys: "one" | "all";
  /** The least ratios of the requirement, where it names one. */
  goals: { rate: number | null; cpu: number | null; peer: number | null };
}

const noGoals = { rate: null, cpu: null, peer: null };
const comparisons: Comparison[] = [
  { title: "authenticated call", what: "authenticated call", keys: "one", goals: { ...noGoals, rate: 0.5, cpu: 0.6 } },
  // Whatever a server remembers of a key, it cannot remember all of these.
  { title: "authenticated call, 1,000 keys", what: "authenticated call", keys: "all", goals: noGoals },
  { title: "create project", what: "create project", keys: "one", goals: { ...noGoals, rate: 0.35, peer: 15 } },
  { title: "create invite", what: "create invite", keys: "one", goals: { ...noGoals, rate: 0.3, peer: 15 } },
];

/** Signalbox beside the bare server and, where it is there, beside the peer: the same load, in interleaved rounds. */
export async function compare(folder: string, plan: Plan, hasPeer: boolean): Promise<Line[]> {
  const { home, accounts } = await seed(0);
  cpSync(home, join(folder, "signalbox"), { recursive: true });
  const signalbox = await startSignalbox(join(folder, "signalbox"));
  const bare = await startBare(signalbox, accounts[0] as SeededAccount);
  const peers: PeerServer[] = [];
  for (const setUp of hasPeer ? peerSetUps : []) peers.push(await startPeer(folder, setUp));
  const load = await startLoad();
  const lines: Line[] = [];
  try {
    for (const comparison of comparisons) {
      const callers = comparison.keys === "one" ? accounts.slice(0, 1) : accounts;
      const calls = callers.map((account) => callTo(comparison.what, account));
      const loaded: Loaded[] = [
        { target: signalbox, calls },
        { target: bare, calls },
        ...peers
          .map((target) => ({ target, calls: target.callsFor(comparison.what) }))
          .filter((each) => each.calls.length > 0),
      ];
      for (const each of loaded) await warmUp(load, each);
      const figures = await inRounds(
        plan.rounds,
        loaded.map((each) => () => load.measure(each, plan.seconds)),
        (round) => console.log(`${comparison.title}: round ${round + 1} of ${plan.rounds}`),
      );
      lines.push(...linesOf(comparison, loaded, figures));
    }
  } finally {
    await Promise.all([load, signalbox, bare, ...peers].map((each) => each.stop()));
  }
  return lines;
}

function linesOf({ title, goals }: Comparison, loaded: Loaded[], figures: Measured[][]): Line[] {
  const [ours = [], bare = [], ...peers] = figures;
  warnOfBusyLoad(title, [...ours, ...bare]);
  const lines = byRateAndCpu(title, ours, "bare node:http", bare, goals);
  for (const [index, theirs] of peers.entries()) {
    const name = loaded[index + 2]?.target.name ?? "";
    lines.push(lineOf(title, "/s", ratesOf(ours), { name, figures: ratesOf(theirs) }, index === 0 ? goals.peer : null));
  }
  return lines;
}

async function startBare(signalbox: Target, account: SeededAccount): Promise<Target> {
  const answers: Record<string, string> = {};
  for (const { what } of comparisons) {
    const call = callTo(what, account);
    answers[call.path] ??= await answerTo(call, signalbox.port);
  }
  const child = startChild("server", new URL("../peers/bare-server.ts", import.meta.url), [JSON.stringify(answers)]);
  const { port } = (await child.ready) as { port: number };
  return { name: "bare node:http", port, pid: child.pid, stop: () => child.stop() };
}

function warnOfBusyLoad(title: string, figures: Measured[]): void {
  const busiest = Math.max(...figures.map((figure) => figure.loadBusy));
  if (busiest > 0.95) {
    console.log(
      `${title}: the load used ${Math.round(busiest * 100)} % of its core; the faster server may be faster yet.`,
    );
  }
}
