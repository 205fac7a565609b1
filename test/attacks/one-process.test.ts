import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { createLogs } from "../../src/kernel/log.ts";
import { startSignalbox } from "../../src/main.ts";
import { type FirstRunRegion, readFirstRun } from "../../src/start/first-run/first-run.ts";
import { readConfig } from "../../src/start/settings/config.ts";
import { commandLine } from "../support/processes/command-line.ts";
import { freeServerPorts } from "../support/processes/free-ports.ts";
import { answerJson } from "../support/systems/rogue.ts";
import { standStill } from "./support/slow-store.ts";

/** One process as an operator starts it, with two regions in it: what one region does to the other, and what it tells of itself. */

type Called = (operation: string, body?: object) => Promise<{ status: number; body: Record<string, never> }>;

const blocking = "a text whose parser blocks the event loop";
const logged: string[] = [];
let [home, port, system] = ["", 0, ""];
let us: Called;
let eu: Called;
let first: Record<"us" | "eu", FirstRunRegion>;

// All tests share it, so that it outlives each of them.
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "signalbox-test-"));
  const vendor = createServer((request, response) => answerJson(200, answerTo(request.url ?? ""))(request, response));
  await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
  system = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
  port = await freeServerPorts();
  const environment = { SIGNALBOX_PRIVATE_HOSTS_STEPS: system, SIGNALBOX_RATE_LIMITS: "sign_in_failure=2/900" };
  const flags = { port: String(port), home, regions: "us,eu", firstRun: "on", sandboxes: "off" };
  const logs = createLogs("info", { write: (line) => void logged.push(line) });
  const server = await startSignalbox(readConfig(environment, flags), logs);
  first = readFirstRun(home).regions as typeof first;
  [us, eu] = [calledAt(first.us), calledAt(first.eu)];
  return async () => {
    await server.stop();
    vendor.close();
    vendor.closeAllConnections();
    rmSync(home, { recursive: true, force: true });
  };
}, 60_000);

function answerTo(url: string): object {
  if (url.startsWith("/v2/user")) return { user: { id: "u_1", email: "a@example.com", username: "a" } };
  return url.startsWith("/v2/teams") ? { teams: [] } : { note: blocking };
}

const calledAt =
  ({ base_url, project_id, api_key }: FirstRunRegion): Called =>
  async (operation, body = {}) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${project_id}:${api_key}` };
    const answer = await fetch(`${base_url}/latest/${operation}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, never> };
  };

describe("a region beside another in one process", () => {
  const toolIn = async (called: Called, output: string): Promise<string> => {
    const steps = [{ name: "rest", step: "wait", input: { seconds: 0 } }];
    return (await called("tools/create", { title: "A tool", steps, output })).body.tool_id ?? "";
  };

  test("computes its own {{1+1}} while slow expressions of the other wait", async () => {
    const slow = await toolIn(us, "{{ ($f := function($x) { $f($x + 1) }; $f(1)) }}");
    const quick = await toolIn(eu, "{{ 1 + 1 }}");
    // Both regions have processes for their expressions from here on.
    const trigger = async (called: Called, id: string) => (await called(`tools/${id}/trigger`)).body;
    await trigger(eu, quick);
    let ended = 0;
    const attacks = Array.from({ length: 6 }, () =>
      trigger(us, slow).then((body) => {
        ended++;
        return body;
      }),
    );
    await attacks[0];
    expect(await trigger(eu, quick)).toMatchObject({ status: "succeeded", output: 2 });
    // In one queue for all, it would have waited until the last of them had begun.
    expect(ended).toBeLessThan(5);
    for (const body of await Promise.all(attacks))
      expect(body).toMatchObject({ problem: { code: "expression_failed" } });
  });

  test("looks at a password at once, after so many wrong ones for the same address in the other that those must wait", async () => {
    expect(first.us.email).toBe(first.eu.email);
    const signIn = async (called: Called, password: string) => {
      const { body } = await called("auth/sign_in/password", { email: first.us.email, password });
      return body.code ?? body.state;
    };
    expect(await signIn(us, "a guess")).toBe("sign_in_failed");
    for (let tries = 0; tries < 3; tries++) await signIn(us, "a guess");
    expect(await signIn(us, first.us.password ?? "")).toBe("rate_limited");
    expect(await signIn(eu, first.eu.password ?? "")).toBe("signed_in");
    expect(await signIn(eu, "a guess")).toBe("sign_in_failed");
  });
});

/** "Reset links in the log at info level without SMTP." */
test("a link that was asked for without a mail server is in the operator's file, and never in the log", async () => {
  expect((await us("auth/password/forgot", { email: first.us.email })).status).toBe(200);
  // The file is there before the mail is in it.
  const token = await vi.waitFor(
    () => {
      const file = readFileSync(join(home, "us.unsent-mails.txt"), "utf8");
      const [, found = ""] = /\/reset#(?:token=)?([\w.-]{20,})/.exec(file) ?? [];
      expect(found).not.toBe("");
      return found;
    },
    { timeout: 20_000 },
  );
  expect(logged.filter((line) => line.includes(token))).toEqual([]);
  expect(logged.join("")).toContain("password_reset");
});

/** "A watchdog logs and counts every pause of the loop above 250 ms with the operation, tenant and step …, and `doctor` shows the worst." */
describe("work that blocks the event loop", () => {
  const pauses = () =>
    logged.filter((line) => line.includes("the event loop stood still")).map((line) => JSON.parse(line));
  const pauseOf = (operation: string, step_id?: string) =>
    vi.waitFor(
      () => pauses().find((each) => each.operation === operation && each.step_id === step_id) ?? expect.fail(),
      { timeout: 20_000 },
    );

  /** Parsing the text blocks the loop for so long: a stand-in for a fault that nobody has found yet. */
  async function whileParsingTakes<T>(milliseconds: number, act: () => Promise<T>): Promise<T> {
    const real = JSON.parse;
    const parse = vi.spyOn(JSON, "parse").mockImplementation((text, ...more) => {
      if (text.includes(blocking) && text.length < 1000) standStill(milliseconds);
      return real(text, ...more);
    });
    return act().finally(() => parse.mockRestore());
  }

  test("is logged and counted with operation, tenant and step, and doctor shows the worst", async () => {
    const wish = { system: "deployment", instance: system, credentials: { token: "a-token" } };
    const { connection_id } = (await us("connections/connect", wish)).body;
    const input = { method: "GET", path: "/v9/projects/web" };
    const ran = await whileParsingTakes(700, () => us("steps/deployment_api_call/run", { connection_id, input }));
    expect(ran.body).toMatchObject({ status: "succeeded" });
    const { organization_id, project_id } = first.us;
    const [operation, step] = ["step", "deployment_api_call"];
    const ofStep = await pauseOf(operation, step);
    expect(ofStep).toMatchObject({ organization_id, project_id, run_id: ran.body.run_id });
    expect(ofStep.pause_ms).toBeGreaterThan(250);

    await whileParsingTakes(400, () => us("projects/create", { name: blocking, description: "" }));
    expect(await pauseOf("projects/create")).toMatchObject({ organization_id });

    const metrics = await (await fetch(`${first.eu.base_url}/metrics`)).text();
    const name = "signalbox_event_loop_pause_seconds";
    expect(metrics).toContain(`${name}_count{operation="${operation}",step="${step}"}`);
    expect(metrics).toContain(`${name}_count{operation="projects/create",step=""}`);
    expect(metrics).not.toContain(organization_id);

    // The log rounds, so two pauses may be the longest there.
    const longest = Math.max(...pauses().map(({ pause_ms }) => pause_ms));
    const worst = pauses().filter(({ pause_ms }) => pause_ms >= longest - 1);
    const { stdout } = await commandLine(["doctor", "--home", home, "--json"], { SIGNALBOX_PORT: String(port) });
    const { results } = JSON.parse(stdout) as { results: { check: string; detail: string }[] };
    const { detail = "" } = results.find(({ check }) => check === "event loop") ?? {};
    const [, seconds] = /^stood still for (\S+) s at most/.exec(detail) ?? [];
    expect(Number(seconds)).toBeCloseTo(longest / 1000, 1);
    const named = worst.map((each) => [each.operation ?? each.doing, each.step_id].filter(Boolean).join(" "));
    expect(named).toContain(/during (.*)$/.exec(detail)?.[1]);
  });
});
