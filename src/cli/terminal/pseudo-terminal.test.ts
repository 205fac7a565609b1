import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The real launcher in a real terminal of 80 columns, by util-linux's `script`. */
function inPseudoTerminal(command: string): { status: number | null; lines: string[] } {
  const { status, stdout } = spawnSync("script", ["-qec", `stty cols 80 rows 24; ${command}`, "/dev/null"], {
    cwd: root,
    encoding: "utf8",
    env: { PATH: process.env.PATH, TERM: "xterm", NODE_COMPILE_CACHE: `${root}node_modules/.cache/signalbox-tests` },
  });
  return { status, lines: stripVTControlCharacters(stdout).split(/\r?\n/) };
}

const hasScript = spawnSync("script", ["--version"]).status === 0 && existsSync("/dev/ptmx");

test.skipIf(!hasScript)("in a terminal of 80 columns, the help of the program and of a command fits", () => {
  for (const command of ["./signalbox --help", "./signalbox runs list --help", "./signalbox agents create --help"]) {
    const { status, lines } = inPseudoTerminal(command);
    expect([command, status, lines.filter((line) => line.length > 80)]).toEqual([command, 0, []]);
    expect(lines.length).toBeGreaterThan(10);
  }
});

test("the launcher starts from any folder, through a link too, and says what to do where nothing is installed", () => {
  const run = (script: string) => spawnSync("sh", ["-c", script, "sh", root], { encoding: "utf8" });
  const linked = run('cd "$(mktemp -d)" && ln -s "$1signalbox" here && ./here --version');
  expect([linked.status, linked.stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  const bare = run('cd "$(mktemp -d)" && cp "$1signalbox" . && PATH=/usr/bin:/bin ./signalbox --version');
  expect([bare.status, bare.stdout]).toEqual([2, ""]);
  expect(bare.stderr).toMatch(/^Signalbox is not installed yet: run `npm start`/);
});
