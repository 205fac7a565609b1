import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Line, lineOf } from "../table.ts";

const launcher = fileURLToPath(new URL("../../signalbox", import.meta.url));
const goalMilliseconds = 150;
const rounds = 15;

/** "`signalbox --help` under 150 ms with Node": the whole process, launcher included, after one start that fills the compile cache. */
export function measureHelp(): Line[] {
  const times = ["--help", "--version"].map((flag) => {
    start(flag);
    return { flag, milliseconds: Array.from({ length: rounds }, () => start(flag)) };
  });
  return times.map(({ flag, milliseconds }) =>
    lineOf(
      `signalbox ${flag}`,
      "ms",
      milliseconds,
      `${goalMilliseconds} ms`,
      milliseconds.map(() => goalMilliseconds),
      1,
    ),
  );
}

function start(flag: string): number {
  const startedAt = performance.now();
  const { status } = spawnSync(launcher, [flag], { stdio: "ignore" });
  if (status !== 0) throw new Error(`signalbox ${flag} ended with ${status}.`);
  return performance.now() - startedAt;
}
