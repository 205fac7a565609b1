import { killLoop } from "../../kill-loop/kill-loop.ts";
import type { Harness } from "../frame/harness.ts";

export const killLoopHarness: Harness = {
  id: "H1",
  name: "kill-loop",
  title: "a server that is killed under load, again and again",
  stores: ["sqlite"],
  fullCycles: 300,
  shortCycles: 8,
  shortTest: "test/kill-loop/kill-loop.test.ts",
  async run({ cycles, seed, log }) {
    const report = await killLoop(cycles, seed, ({ rounds, asked, acknowledged }) => {
      if (rounds % 10 === 0) log(`${rounds} kills, ${asked} calls, ${acknowledged} acknowledged`);
    });
    const count = (shape: RegExp) => report.problems.filter((sentence) => shape.test(sentence)).length;
    return {
      cycles: report.rounds,
      faults: report.rounds,
      acknowledged: report.acknowledged,
      lost: count(/acknowledged, and|last acknowledged one is/),
      doubled: count(/twice|is there \d+ times/),
      unknown: report.lost,
      recoverySeconds: report.recoverySeconds,
      broken: report.problems,
    };
  },
};
