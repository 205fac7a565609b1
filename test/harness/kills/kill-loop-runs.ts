import { runsKillLoop } from "../../kill-loop/runs/runs-kill-loop.ts";
import type { Harness } from "../frame/harness.ts";

/** Kills a run of which are enough for its faults to be rare, as they are in a long life. */
const longFrom = 30;

export const killLoopOfRuns: Harness = {
  id: "H1",
  name: "kill-loop-runs",
  title: "nodes that are killed and frozen while runs write to systems that fail in twelve ways",
  stores: ["sqlite", "postgres"],
  fullCycles: 100,
  shortCycles: 4,
  shortTest: "test/kill-loop/runs/runs-kill-loop.test.ts",
  async run({ cycles, seed, store, log, newDatabase }) {
    let told = 0;
    const report = await runsKillLoop({
      kills: cycles,
      freezesWhileConnecting: Math.ceil(cycles / 34),
      seed,
      postgresUrl: store === "postgres" ? await newDatabase() : null,
      isLong: cycles >= longFrom,
      tell({ kills, freezes, runs, left }) {
        if (left === null && kills - told < 10) return;
        told = kills;
        log(left === null ? `${kills} kills, ${freezes} freezes, ${runs} runs` : `${left} runs are still open`);
      },
    });
    const faults = Object.values(report.faults).reduce((all, one) => all + one, 0);
    return {
      cycles: report.kills,
      faults: report.kills + report.freezes + report.stops + faults,
      acknowledged: report.runs + report.accessWrites,
      lost: report.lostRuns + report.lostWrites,
      doubled: report.doubled,
      unknown: report.unknown,
      recoverySeconds: [],
      broken: report.problems,
    };
  },
};
