import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { answerConsentPage } from "../../test/support/browser/pop-up.ts";
import { post, signalbox, startCommand } from "../../test/support/processes/command.ts";
import { commandLine } from "../../test/support/processes/command-line.ts";
import { freePorts, freeServerPorts } from "../../test/support/processes/free-ports.ts";
import { startServedTeam } from "../../test/support/processes/served-team.ts";
import { cleanUpLater, temporaryFolder } from "../../test/support/stores.ts";
import { sandboxUrls, startSandbox } from "../../test/support/systems/vault.ts";
import { systemIds } from "../systems/index.ts";

/** A first run with sandboxes of its own, and what it has written down. */
async function serve() {
  const [home, port] = [join(temporaryFolder(), "data"), await freeServerPorts()];
  const args = ["--first-run", "--sandboxes", "own", "--regions", "us", "--port", String(port), "--home", home];
  const start = async () => {
    const server = startCommand(["serve", ...args]);
    cleanUpLater(async () => {
      server.signal("SIGTERM");
      await server.finished;
    });
    await server.printed(/Signalbox is ready/);
    return server;
  };
  const server = await start();
  const entry = JSON.parse(readFileSync(join(home, "first-run.json"), "utf8")).regions.us;
  const call = (operation: string) => post(entry.base_url, operation, `Bearer ${entry.project_id}:${entry.api_key}`);
  return { home, port, server, start, entry, call };
}

const json = (output: string) => JSON.parse(output);

describe("a first run", () => {
  test("connects its project to each sandbox, is ready only then, and keeps the connections", async () => {
    const { home, server, start, entry, call } = await serve();
    expect((await fetch(`${entry.base_url}/readyz`)).status).toBe(200);
    expect(Object.keys(entry.connections)).toEqual(systemIds);
    const { body } = await call("connections/list");
    const results = body.results as { system: string }[];
    const accounts = Object.fromEntries(results.map((account) => [account.system, account]));
    expect(Object.keys(accounts)).toEqual(systemIds);
    expect(accounts).toMatchObject({
      marketing: { identity: { email: "api-user@example.com" } },
      deployment: { identity: { team_slug: "acme" }, access_level: "administrator" },
      analytics: { access_level: "administrator" },
    });
    server.signal("SIGTERM");
    await server.finished;
    await start();
    const again = JSON.parse(readFileSync(join(home, "first-run.json"), "utf8")).regions.us;
    expect(again.connections).toEqual(entry.connections);
    expect((await call("connections/list")).body.results).toHaveLength(systemIds.length);
  });
});

describe("signalbox connections, beside a running server", () => {
  test("lists, checks, removes and reconnects", async () => {
    const { home, entry, call } = await serve();
    // The id of a connection names its region.
    const run = (...args: string[]) => {
      const region = args.includes("--connection") ? [] : ["--region", "us"];
      return signalbox(["connections", ...args, ...region, "--home", home, "--json"]);
    };
    const listed = await run("list", "--project", entry.project_id);
    expect(json(listed.stdout).results).toHaveLength(systemIds.length);
    const checked = await run("check", "--connection", entry.connections.deployment);
    expect([checked.code, json(checked.stdout)]).toMatchObject([0, { state: "connected", healthy: true }]);
    const removedId = entry.connections.deployment;
    const removed = await run("remove", "--connection", entry.connections.deployment);
    expect(json(removed.stdout)).toMatchObject({ removed: true, revoked_at_system: false });
    const { body } = await call(`connections/${entry.connections.deployment}/get`);
    expect(body.state).toBe("removed");
    const again = await run("check", "--connection", entry.connections.deployment);
    expect([again.code, again.stderr]).toEqual([3, expect.stringContaining("connection_removed")]);
    const file = join(home, "credentials.json");
    writeFileSync(file, JSON.stringify({ token: "sandboxOwnerToken0000001", team_slug: "acme" }), { mode: 0o600 });
    const where = ["--project", entry.project_id, "--system", "deployment", "--instance", "sandbox"];
    const back = await run("connect", ...where, "--connection", removedId, "--credentials", file);
    expect(json(back.stdout)).toMatchObject({ connection_id: removedId, state: "connected" });
    const unknown = await run("check", "--connection", "con_us_none");
    expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining("connection_not_found")]);
    const verified = await signalbox(["audit", "verify", "--region", "us", "--home", home]);
    expect(verified.code).toBe(0);
  });
});

// "`connections connect` opens the browser and waits."
test("signalbox connections connect opens the page in the browser, and ends when the sign-in has ended", async () => {
  const { team, folder, environment } = await startServedTeam();
  const [browser, opened] = [join(folder, "browser"), join(folder, "opened")];
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > ${opened}\n`, { mode: 0o700 });
  const args = ["connections", "connect", "--system", "analytics", "--instance", "live", "--json"];
  const { code, stdout, stderr } = await commandLine(
    args,
    { ...environment, BROWSER: browser },
    {
      // Nobody signs in, and the time for it passes.
      onError: (text) => text.includes("Waiting") && team.advance(86_400),
    },
  );
  expect([code, stdout, stderr]).toEqual([3, "", expect.stringContaining('"code":"not_connected"')]);
  const [address] = /http\S+/.exec(stderr) ?? [];
  await vi.waitFor(() => expect(readFileSync(opened, "utf8")).toBe(address));
});

test.each(["deployment", "analytics"] as const)(
  "signalbox connections connect ends with the account that a person has connected in the browser: %s",
  async (system) => {
    const sandbox = await startSandbox(system);
    const port = await freePorts(1);
    const [baseUrl, sandboxes] = [`http://127.0.0.1:${port}`, sandboxUrls({ [system]: sandbox.url })];
    const { run, team } = await startServedTeam({ sandboxes, baseUrl }, port);
    const person = async (text: string) => {
      const [address = ""] = /http\S+/.exec(text) ?? [];
      const ours = await fetch(address, { redirect: "manual" });
      return fetch(await answerConsentPage(system, ours.headers.get("location") ?? ""), { redirect: "manual" });
    };
    let page: Promise<Response> | undefined;
    const args = ["connections", "connect", "--system", system, "--instance", "sandbox", "--no-browser", "--json"];
    const { code, stdout } = await run(args, {
      onError: (text) => {
        if (text.includes("Waiting")) page ??= person(text);
      },
    });
    expect((await page)?.status).toBe(200);
    const { connection_id } = json(stdout);
    expect([code, json(stdout)]).toEqual([0, { connection_id, state: "connected" }]);
    const { body } = await team.call(`connections/${connection_id}/check`, {}, team.inProject(team.owner));
    expect(body).toMatchObject({ system, state: "connected", way_in: "oauth", health: { ok: true } });
  },
);

describe("signalbox rotate-key", () => {
  test("replaces the key of a data folder under a running server, and the old one is gone", async () => {
    const { home, server, start, entry, call } = await serve();
    const file = join(home, "master.key");
    const before = readFileSync(file, "utf8");
    const rotated = await signalbox(["rotate-key", "--home", home, "--json"]);
    expect(json(rotated.stdout).results).toEqual([
      { region: "us", master_key: expect.any(String), wrapped_anew: 1, mails_sealed_anew: 0 },
    ]);
    expect(readFileSync(file, "utf8")).not.toBe(before);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(`${file}.old`)).toBe(false);
    const checkAll = async () => {
      for (const id of Object.values(entry.connections)) {
        expect((await call(`connections/${id}/check`)).body).toMatchObject({
          state: "connected",
          health: { ok: true },
        });
      }
    };
    await checkAll();
    const renewed = await signalbox(["rotate-key", "--data-keys", "--home", home, "--json"]);
    expect(json(renewed.stdout).results).toEqual([{ region: "us", sealed_anew: systemIds.length }]);
    await checkAll();
    server.signal("SIGTERM");
    await server.finished;
    await start();
    await checkAll();
  });

  test("with keys from the environment, the old one is needed once and then never again", async () => {
    const { home, server, port, entry } = await serve();
    server.signal("SIGTERM");
    await server.finished;
    const [old, next] = [readFileSync(join(home, "master.key"), "utf8").trim(), Buffer.alloc(32, 9).toString("base64")];
    const alone = await signalbox(["rotate-key", "--home", home], { SIGNALBOX_MASTER_KEY: next });
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining("SIGNALBOX_MASTER_KEY_OLD")]);
    const args = ["--regions", "us", "--port", String(port), "--home", home];
    const foreign = await signalbox(["serve", ...args], { SIGNALBOX_MASTER_KEY: next });
    expect([foreign.code, foreign.stderr]).toEqual([2, expect.stringContaining("need the master key")]);
    const both = { SIGNALBOX_MASTER_KEY: next, SIGNALBOX_MASTER_KEY_OLD: old };
    expect((await signalbox(["rotate-key", "--home", home], both)).code).toBe(0);
    const list = ["connections", "list", "--region", "us", "--home", home, "--json"];
    const listed = await signalbox(list, { SIGNALBOX_MASTER_KEY: next });
    expect(json(listed.stdout).results).toHaveLength(systemIds.length);
    expect(listed.stdout + listed.stderr).not.toContain(old);
    expect(entry.connections.marketing).toBeTruthy();
  });
});
