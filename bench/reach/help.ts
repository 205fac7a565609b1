import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Line, lineOf } from "../rounds/table.ts";

const launcher = fileURLToPath(new URL("../../signalbox", import.meta.url));
const goalMilliseconds = 150;
const rounds = 15;

/** "`signalbox --help` under 150 ms with Node": the whole process, launcher included, after one start that fills the compile cache. */
export function measureHelp(): Line[] {
  return ["--help", "--version"].flatMap((flag) => {
    start(flag);
    const starts = Array.from({ length: rounds }, () => start(flag));
    const line = (what: string, milliseconds: number[]): Line =>
      lineOf(
        what,
        "ms",
        milliseconds,
        { name: `${goalMilliseconds} ms`, figures: Array(rounds).fill(goalMilliseconds) },
        1,
      );
    return [
      line(
        `signalbox ${flag}`,
        starts.map(({ wall }) => wall),
      ),
      // A busy machine changes this one little.
      line(
        `signalbox ${flag}, CPU`,
        starts.map(({ cpu }) => cpu),
      ),
    ];
  });
}

/** Milliseconds of one start. The shell's `times` adds up the CPU of its children, on the second line. */
function start(flag: string): { wall: number; cpu: number } {
  const startedAt = performance.now();
  const script = `"$1" ${flag} > /dev/null && times`;
  const { status, stdout } = spawnSync("sh", ["-c", script, "sh", launcher], { encoding: "utf8" });
  const wall = performance.now() - startedAt;
  if (status !== 0) throw new Error(`signalbox ${flag} ended with ${status}.`);
  const parts = [...(stdout.split("\n")[1] ?? "").matchAll(/(\d+)m([\d.]+)s/g)];
  const seconds = parts.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0);
  return { wall, cpu: seconds * 1000 };
}
