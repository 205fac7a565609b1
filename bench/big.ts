import { constants, cpSync } from "node:fs";
import { join } from "node:path";
import { callTo, type Measurable, measurables } from "./calls.ts";
import type { Plan } from "./rounds/compare.ts";
import { byRateAndCpu } from "./rounds/measured-lines.ts";
import { inRounds } from "./rounds/rounds.ts";
import type { Line } from "./rounds/table.ts";
import { type Seeded, seed } from "./targets/seed.ts";
import { startSignalbox } from "./targets/signalbox-server.ts";
import { type Loaded, startLoad, warmUp } from "./targets/target.ts";

const projects = 1_000_000;
const goal = 0.9;

/**
 * The same calls on a store with a million projects and a million invites, and on one with nothing but the accounts that
 * call: the same number of callers, so that nothing differs but the size.
 */
export async function compareSizes(folder: string, plan: Plan): Promise<Line[]> {
  const big = await startOn(await seed(projects), join(folder, "big"));
  const empty = await startOn(await seed(0), join(folder, "empty"));
  const load = await startLoad();
  const lines: Line[] = [];
  try {
    for (const what of measurables) {
      const loaded: Loaded[] = [big, empty].map(({ target, callsFor }) => ({ target, calls: callsFor(what) }));
      for (const each of loaded) await warmUp(load, each);
      const [onBig = [], onEmpty = []] = await inRounds(
        plan.rounds,
        loaded.map((each) => () => load.measure(each, plan.seconds)),
        (round) => console.log(`${what}, a million and none: round ${round + 1} of ${plan.rounds}`),
      );
      lines.push(...byRateAndCpu(what, onBig, "an empty store", onEmpty, { rate: goal, cpu: null }));
    }
  } finally {
    await Promise.all([load, big.target, empty.target].map((each) => each.stop()));
  }
  return lines;
}

/** On a copy: what the load adds is not there the next time. */
async function startOn({ home, accounts }: Seeded, copy: string) {
  console.log(`copying ${home}`);
  cpSync(home, copy, { recursive: true, mode: constants.COPYFILE_FICLONE });
  const target = await startSignalbox(copy);
  return { target, callsFor: (what: Measurable) => accounts.map((account) => callTo(what, account)) };
}
