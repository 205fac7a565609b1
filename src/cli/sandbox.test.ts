import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type RunningCommand, startCommand } from "../../test/support/command.ts";
import { freePorts } from "../../test/support/free-ports.ts";
import { temporaryFolder } from "../../test/support/stores.ts";
import type { FirstRun } from "../start/first-run/first-run.ts";

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
  test("starts the three alone, at the ports of the contract", async () => {
    const port = await freePorts(14);
    const command = start(["sandbox", "--port", String(port)]);
    await command.printed(/Stop with Ctrl-C\.\n/);
    const urls = [port + 11, port + 12, port + 13].map((each) => `http://127.0.0.1:${each}`);
    expect(await Promise.all(urls.map(systemAt))).toEqual(["marketing", "deployment", "analytics"]);
    command.signal("SIGTERM");
    expect((await command.finished).code).toBe(0);
  });
});

describe("signalbox serve --sandboxes own", () => {
  const serve = async () => {
    const port = await freePorts(14);
    const home = temporaryFolder();
    const args = ["--first-run", "--sandboxes", "own", "--regions", "us", "--port", String(port), "--home", home];
    const server = start(["serve", ...args]);
    await server.printed(/Stop with Ctrl-C\.\n/);
    const firstRun = JSON.parse(readFileSync(join(home, "first-run.json"), "utf8")) as FirstRun;
    return { port, server, sandboxes: firstRun.sandboxes };
  };

  test("serves them in a process beside it, names them in first-run.json, and ends them with itself", async () => {
    const { port, server, sandboxes } = await serve();
    expect(sandboxes).toEqual({
      marketing: `http://127.0.0.1:${port + 11}`,
      deployment: `http://127.0.0.1:${port + 12}`,
      analytics: `http://127.0.0.1:${port + 13}`,
    });
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
