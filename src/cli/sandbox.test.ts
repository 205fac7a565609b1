import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { installedProgram, type RunningCommand, startCommand } from "../../test/support/processes/command.ts";
import { freeServerPorts } from "../../test/support/processes/free-ports.ts";
import { temporaryFolder } from "../../test/support/stores.ts";
import type { FirstRun } from "../start/first-run/first-run.ts";
import { systemIds } from "../systems/index.ts";

const running: RunningCommand[] = [];
afterEach(async () => {
  for (const command of running.splice(0)) {
    command.signal("SIGKILL");
    await command.finished;
  }
});

function start(args: string[]): RunningCommand {
  const command = startCommand(args);
  running.push(command);
  return command;
}

/** The first sandbox is at the eleventh port after the first region, and the others follow. */
const sandboxesAt = (port: number): string[] => systemIds.map((_, index) => `http://127.0.0.1:${port + 11 + index}`);

const systemAt = async (url: string): Promise<unknown> =>
  ((await (await fetch(`${url}/_sandbox`)).json()) as { system: unknown }).system;

/** Resolves once nothing answers there any longer; the test's own time limit is the bound. */
async function isGone(url: string): Promise<true> {
  for (;;) {
    const answered = await fetch(`${url}/_sandbox`).then(
      async (response) => Boolean(await response.text()),
      () => false,
    );
    if (!answered) return true;
  }
}

describe("signalbox sandbox", () => {
  test("starts all of them alone, at the ports of the contract", async () => {
    const port = await freeServerPorts();
    const command = start(["sandbox", "--port", String(port)]);
    await command.printed(/Stop with Ctrl-C\.\n/);
    expect(await Promise.all(sandboxesAt(port).map(systemAt))).toEqual(systemIds);
    command.signal("SIGTERM");
    expect((await command.finished).code).toBe(0);
  });

  // "`kill -9` of the wrapper under Node 20 does not leave a server behind that holds the port."
  test("ends with the process that started it", async () => {
    const port = await freeServerPorts();
    const beside = `const { spawn } = require("node:child_process");
      const env = { ...process.env, SIGNALBOX_WRAPPER_PID: String(process.pid) };
      spawn(process.execPath, [${JSON.stringify(installedProgram)}, ...process.argv.slice(1)], { env, stdio: "inherit" });`;
    const parent = spawn(process.execPath, ["-e", beside, "sandbox", "--port", String(port)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    parent.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (text.includes("Stop with Ctrl-C.")) parent.kill("SIGKILL");
    });
    // All of them write to the same pipe: it is closed once the last one has ended.
    await once(parent, "close");
    await expect(Promise.any(sandboxesAt(port).map(systemAt))).rejects.toThrow();
  });
});

describe("signalbox serve --sandboxes own", () => {
  const serve = async () => {
    const port = await freeServerPorts();
    const home = temporaryFolder();
    const args = ["--first-run", "--sandboxes", "own", "--regions", "us", "--port", String(port), "--home", home];
    const server = start(["serve", ...args]);
    await server.printed(/Stop with Ctrl-C\.\n/);
    const firstRun = JSON.parse(readFileSync(join(home, "first-run.json"), "utf8")) as FirstRun;
    return { port, server, sandboxes: firstRun.sandboxes };
  };

  test("serves them in a process beside it, names them in first-run.json, and ends them with itself", async () => {
    const { port, server, sandboxes } = await serve();
    const urls = sandboxesAt(port);
    expect(sandboxes).toEqual(Object.fromEntries(systemIds.map((system, index) => [system, urls[index]])));
    expect(await Promise.all(Object.values(sandboxes ?? {}).map(systemAt))).toEqual(Object.keys(sandboxes ?? {}));
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    server.signal("SIGTERM");
    expect((await server.finished).code).toBe(0);
    expect(await isGone(`http://127.0.0.1:${port + 11}`)).toBe(true);
  });

  test("leaves none behind when it is killed", async () => {
    const { port, server } = await serve();
    server.signal("SIGKILL");
    expect(await isGone(`http://127.0.0.1:${port + 11}`)).toBe(true);
  });

  test("says what is in the way where a port is taken", async () => {
    const { port } = await serve();
    const second = start([
      "serve",
      "--first-run",
      "--sandboxes",
      "own",
      "--regions",
      "eu",
      "--port",
      String(port),
      "--home",
      temporaryFolder(),
    ]);
    const { code, stderr } = await second.finished;
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("The sandboxes could not be started: listen EADDRINUSE"),
    ]);
  });
});
