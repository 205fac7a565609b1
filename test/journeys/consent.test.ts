import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readFirstRun } from "../../src/start/first-run/first-run.ts";
import { seriousFindingsEverywhere } from "../support/browser/axe.ts";
import { describeInBrowser, openBrowser } from "../support/browser/browser.ts";
import { post, startCommand } from "../support/processes/command.ts";
import { freeServerPorts } from "../support/processes/free-ports.ts";

/**
 * "Connect each system through its real consent page": a person in a real browser, in front of the whole program with its own
 * sandboxes. The page that opened the window hears of the end by postMessage, and from our own address alone.
 */

async function startSignalbox() {
  const [folder, port] = [mkdtempSync(join(tmpdir(), "signalbox-consent-")), await freeServerPorts()];
  const home = join(folder, "data");
  const args = [
    "serve",
    "--first-run",
    "--sandboxes",
    "own",
    "--regions",
    "us",
    "--home",
    home,
    "--port",
    String(port),
  ];
  const server = startCommand(args);
  await server.printed(/Signalbox is ready/);
  const us = readFirstRun(home).regions.us;
  if (!us) throw new Error("There is no first run.");
  return {
    baseUrl: us.base_url,
    port,
    async call(operation: string, body: unknown) {
      const answer = await post(us.base_url, operation, `Bearer ${us.project_id}:${us.api_key}`, body);
      if (answer.status !== 200) throw new Error(`${operation}: ${JSON.stringify(answer.body)}`);
      // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members it expects.
      return answer.body as any;
    },
    async stop() {
      server.signal("SIGTERM");
      await server.finished;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One program for all of these stories: none of them leaves anything that another would see. */
let running: ReturnType<typeof startSignalbox> | null = null;
const signalbox = () => {
  running ??= startSignalbox();
  return running;
};
afterAll(async () => (await running)?.stop());

/** "People open the pages as http://localhost:4100": the other name of the same machine. */
const ourPage = (port: number): string => `http://localhost:${port}/latest/documentation`;

interface Heard {
  origin: string;
  data: { type: string; connect_id?: string; connection_id?: string };
}

/** A page that opens the consent page in a window of its own, and records every message it gets. */
async function openPopUp(opener: string, connectUrl: string) {
  const page = await (await openBrowser()).newPage();
  await page.goto(opener);
  const opened = page.waitForEvent("popup");
  // The page's own words, as text: this program knows no window.
  await page.evaluate(`
    window.heard = [];
    addEventListener("message", ({ origin, data }) => window.heard.push({ origin, data }));
    open(${JSON.stringify(connectUrl)}, "connect", "popup");
    null`);
  const popUp = await opened;
  // Our own page first: it says what for.
  await popUp.getByRole("link", { name: /^Continue to/ }).click();
  return {
    popUp,
    heard: () => page.evaluate<Heard[]>("window.heard"),
    async firstHeard(): Promise<Heard> {
      await expect.poll(() => page.evaluate("window.heard.length")).toBeGreaterThan(0);
      return page.evaluate<Heard>("window.heard[0]");
    },
  };
}

describeInBrowser("a person connects an account in a pop-up", () => {
  test("analytics: a person signs in and allows it, and the opening page gets the result", async () => {
    const { baseUrl, port, call } = await signalbox();
    const begun = await call("connections/connect", { system: "analytics", instance: "sandbox", label: "By pop-up" });
    const { popUp, firstHeard } = await openPopUp(ourPage(port), begun.connect_url);
    await popUp.getByRole("radio").first().check();
    await popUp.getByRole("button", { name: "Continue" }).click();
    const told = await firstHeard();
    expect(told).toMatchObject({
      origin: baseUrl,
      data: { type: "signalbox:connected", connect_id: begun.connect_id },
    });
    const id = told.data.connection_id;
    expect(await call("connections/status", { connect_id: begun.connect_id })).toMatchObject({ connection_id: id });
    const connection = await call(`connections/${id}/get`, {});
    expect(connection).toMatchObject({ system: "analytics", state: "connected", label: "By pop-up" });
    const run = await call("steps/analytics_api_call/run", {
      connection_id: id,
      input: { method: "GET", endpoint: "v1beta/accountSummaries" },
    });
    expect(run.status).toBe("succeeded");
  });

  test("deployment: a person installs the integration for a team, and a step runs as that team", async () => {
    const { port, call } = await signalbox();
    const begun = await call("connections/connect", { system: "deployment", instance: "sandbox" });
    const { popUp, firstHeard } = await openPopUp(ourPage(port), begun.connect_url);
    await popUp.getByRole("button", { name: /install/i }).click();
    const told = await firstHeard();
    const id = told.data.connection_id;
    const run = await call("steps/list_deployments/run", { connection_id: id, input: { limit: 1 } });
    expect(run.status).toBe("succeeded");
  });

  test("a person who declines sees that, and nothing is stored", async () => {
    const { port, call } = await signalbox();
    const before = await call("connections/list", {});
    const begun = await call("connections/connect", { system: "analytics", instance: "sandbox" });
    const { popUp, firstHeard } = await openPopUp(ourPage(port), begun.connect_url);
    await popUp.getByRole("button", { name: "Cancel" }).click();
    expect((await firstHeard()).data.type).toBe("signalbox:connect_failed");
    await popUp.getByRole("alert").waitFor();
    expect(await seriousFindingsEverywhere(popUp)).toEqual([]);
    expect((await call("connections/status", { connect_id: begun.connect_id })).state).toBe("failed");
    expect((await call("connections/list", {})).results).toHaveLength(before.results.length);
  });

  test("a page of another origin gets no message", async () => {
    const { port, call } = await signalbox();
    const begun = await call("connections/connect", { system: "analytics", instance: "sandbox" });
    // The sandbox's own page stands in for a stranger's: it is served from another port.
    const { popUp, heard } = await openPopUp(`http://127.0.0.1:${port + 13}/_sandbox`, begun.connect_url);
    await popUp.getByRole("radio").first().check();
    await Promise.all([popUp.waitForEvent("close"), popUp.getByRole("button", { name: "Continue" }).click()]);
    expect(await heard()).toEqual([]);
    expect((await call("connections/status", { connect_id: begun.connect_id })).state).toBe("connected");
  });
});
