import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { describe, expect, inject, test } from "vitest";
import { gaugeRules } from "../../src/start/cluster/join-metrics.ts";
import { startWithAccount } from "../support/processes/first-account.ts";
import { createCaller, type HttpCaller } from "../support/processes/http-caller.ts";
import { youngGeneration } from "../support/processes/server-process.ts";
import { cleanUpLater, newPostgresDatabase, temporaryFolder } from "../support/stores.ts";

/** "`--processes N|auto` to use every core of a machine: one address, one start, one stop, metrics of all together." */

const startTwo = async (settings: Record<string, string> = {}) =>
  startWithAccount(temporaryFolder(), {
    ...settings,
    SIGNALBOX_PROCESSES: "2",
    SIGNALBOX_DATABASE_URL_US: await newPostgresDatabase(),
  });

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);

const isRunning = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

const metricsAt = async (port: number): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

const readValue = (page: string, series: string): number =>
  Number(
    page
      .split("\n")
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length) ?? Number.NaN,
  );

const counted = 'signalbox_requests_total{region="us",operation="auth/info",status="200"}';

const refusesAt = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(false));
    socket.once("connect", () => socket.destroy());
    socket.once("error", () => resolve(true));
  });

// Where there is no /proc the children cannot be found.
describe.skipIf(inject("postgresUrl") === null || process.platform !== "linux")("several processes", () => {
  test("serve one address, are counted together, replaced when they die, and stop as one", async () => {
    const server = await startTwo();
    const { port, pid, first } = server;
    const authorization = `Bearer ${first.project_id}:${first.api_key}`;
    const callers: HttpCaller[] = [createCaller(port), createCaller(port)];
    for (const caller of callers) cleanUpLater(async () => caller.close());
    const callBoth = async (): Promise<number[]> =>
      Promise.all(callers.map(async (caller) => (await caller.call("auth/info", {}, { authorization })).status));

    // The first account was made once, and the greeting was printed once, when both were ready.
    expect(server.printed().match(/Signalbox is ready/g)).toHaveLength(1);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    const page = await metricsAt(port);
    expect(page.length).toBeLessThan(60_000);
    expect(readValue(page, "signalbox_processes")).toBe(2);
    const gauges = [...page.matchAll(/^# TYPE (\S+) gauge$/gm)].map(([, name = ""]) => name);
    expect(gauges.filter((name) => !(name in gaugeRules))).toEqual([]);

    expect(await callBoth()).toEqual([200, 200]);
    expect(readValue(await metricsAt(port), counted)).toBe(2);

    const argumentsOf = (child: number) => readFileSync(`/proc/${child}/cmdline`, "utf8").split("\0");
    for (const child of childrenOf(pid)) expect(argumentsOf(child)).toContain(youngGeneration);

    // Each has one of the two connections: with one process frozen, one of the callers is served.
    const [killed = 0, other] = childrenOf(pid);
    process.kill(killed, "SIGSTOP");
    const served = new Set<HttpCaller>();
    const calls = callers.map(async (caller) => {
      await caller.call("auth/info", {}, { authorization });
      served.add(caller);
      return caller;
    });
    const caller = await Promise.race(calls);
    for (let again = 0; again < 5; again++) await caller.call("auth/info", {}, { authorization });
    expect(served).toEqual(new Set([caller]));
    process.kill(killed, "SIGCONT");
    await Promise.all(calls);

    const before = readValue(await metricsAt(port), counted);
    expect(before).toBe(9);
    process.kill(killed, "SIGKILL");
    await expect.poll(() => readValueAt(port, "signalbox_processes_replaced_total"), { timeout: 60_000 }).toBe(1);
    await expect.poll(() => readValueAt(port, "signalbox_processes"), { timeout: 60_000 }).toBe(2);
    expect(server.printed()).toContain("a server process has ended and will be replaced");
    expect(childrenOf(pid)).toEqual([other, expect.any(Number)]);
    // A sum never falls: what the dead process had counted still counts.
    expect(readValue(await metricsAt(port), counted)).toBe(before);
    expect(await callBoth()).toEqual([200, 200]);

    const children = childrenOf(pid);
    expect(await server.stop()).toBe(0);
    expect(children.filter(isRunning)).toEqual([]);
    expect(await refusesAt(port)).toBe(true);
  }, 180_000);

  test("leave nothing behind when the first of them is killed", async () => {
    const { port, pid, kill } = await startTwo();
    const children = childrenOf(pid);
    expect(children).toHaveLength(2);
    await kill();
    await expect.poll(() => children.filter(isRunning), { timeout: 60_000 }).toEqual([]);
    expect(await refusesAt(port)).toBe(true);
  }, 180_000);

  test("all have the role of the server, and a second signal ends them at once", async () => {
    const server = await startTwo({ SIGNALBOX_ROLE: "worker" });
    expect(server.printed()).toContain("This worker carries out runs.");
    expect(server.printed()).not.toContain("Sign in at");
    // As many connections as processes, so that each of them is asked.
    const callers = [createCaller(server.port), createCaller(server.port)];
    for (const caller of callers) cleanUpLater(async () => caller.close());
    const answers = await Promise.all(callers.map((caller) => caller.call("auth/info", {}, {})));
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(Array(2).fill([503, "worker_node"]));

    const children = childrenOf(server.pid);
    // It cannot finish what it has accepted, so the first signal alone does not end the server.
    process.kill(children[0] ?? 0, "SIGSTOP");
    const ended = server.stop();
    await expect.poll(() => isRunning(children[1] ?? 0), { timeout: 60_000 }).toBe(false);
    expect(isRunning(children[0] ?? 0)).toBe(true);
    process.kill(server.pid, "SIGTERM");
    expect(await ended).toBe(1);
    await expect.poll(() => children.filter(isRunning), { timeout: 60_000 }).toEqual([]);
  }, 180_000);
});

const readValueAt = async (port: number, series: string): Promise<number> => readValue(await metricsAt(port), series);
