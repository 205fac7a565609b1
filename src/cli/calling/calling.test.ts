import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connectionThatOpensNothing } from "../../../test/support/calls/valid-calls.ts";
import { commandLine } from "../../../test/support/processes/command-line.ts";
import { freePort } from "../../../test/support/processes/free-ports.ts";
import { startServedTeam } from "../../../test/support/processes/served-team.ts";
import { cleanUpLater } from "../../../test/support/stores.ts";

async function serve(respond: RequestListener): Promise<string> {
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUpLater(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const json = (text: string) => JSON.parse(text);

test("a run is one line for each step on a terminal, one value with --json, and its end is the exit code", async () => {
  const { team, run } = await startServedTeam();
  const connection = await connectionThatOpensNothing(team, "deployment");
  const args = ["steps", "run", "list_deployments", "--connection", connection];
  const shown = await run(args, { columns: 80 });
  expect(shown.code).toBe(1);
  const lines = shown.stdout.split("\n");
  expect(lines[0]).toMatch(/^run_us_/);
  expect(lines[0]).toContain("\u001b[31mfailed\u001b[0m");
  const printed = await run([...args, "--json"]);
  expect([printed.code, printed.stderr, json(printed.stdout)]).toMatchObject([1, "", { status: "failed" }]);
  // "Colours off without a terminal": and where NO_COLOR asks for it.
  const id = json(printed.stdout).run_id;
  const got = await run(["runs", "get", id]);
  expect(got.stdout).not.toContain("\u001b");
  expect(got.stdout).toMatch(/\n {2}list_deployments {2}list_deployments {2}failed /);
  const tool = ["--title", "Asks", "--steps", '[{"name":"ask","step":"approve","input":{"message":"May it?"}}]'];
  const { tool_id: toolId } = json((await run(["tools", "create", ...tool, "--json"])).stdout);
  const waiting = await run(["tools", "trigger", toolId, "--wait", "1"]);
  expect([waiting.code, waiting.stdout]).toEqual([0, expect.stringMatching(/^waits +for approval: .*\n/m)]);
  const [, runId = ""] = /signalbox runs approve (run_us_\w+)/.exec(waiting.stdout) ?? [];
  expect((await run(["runs", "approve", runId, "--reject"])).code).toBe(0);
  const followed = await run(["runs", "follow", runId]);
  expect([followed.code, followed.stdout]).toEqual([1, expect.stringMatching(/^ask {2}approve {2}failed$/m)]);
});

test("a refusal has its exit code, names commands instead of paths, and with --json is the problem on standard error", async () => {
  const { run, environment } = await startServedTeam();
  const refused = await run(["tools", "get", "tol_us_none"]);
  expect([refused.code, refused.stdout]).toEqual([3, ""]);
  expect(refused.stderr).toMatch(/^signalbox: .*\(tool_not_found\)\n.*`signalbox tools list`/);
  const asJson = await run(["tools", "get", "tol_us_none", "--json"]);
  expect([asJson.code, json(asJson.stderr)]).toMatchObject([3, { code: "tool_not_found", status: 404 }]);
  const usage = await run(["runs", "list", "--sideways", "--json"]);
  expect([usage.code, json(usage.stderr)]).toMatchObject([2, { code: "usage", detail: "unknown option '--sideways'" }]);
  expect((await run(["invites", "create", "--email", "a@example.com"])).stderr).toBe(
    "signalbox: --permissions or --role is required.\n",
  );
  expect((await run(["runs", "list", "--limit", "0"])).stderr).toBe(
    "signalbox: A value in the body is not acceptable. (validation_failed)\n  limit: It must be at least 1.\n",
  );
  const choice = await run(["runs", "list", "--status", "nope"], { columns: 80 });
  expect([choice.code, choice.stderr.split("\n").filter((line) => line.length > 80)]).toEqual([2, []]);
  const without = await commandLine(["projects", "list"], { XDG_CONFIG_HOME: "/nowhere", SIGNALBOX_HOME: "/nowhere" });
  expect([without.code, without.stderr]).toEqual([2, expect.stringMatching(/Log in with `signalbox login`/)]);

  // "A sentence instead of a stack where the address is another service."
  const page = await serve((_, response) => response.setHeader("content-type", "text/html").end("<h1>Hello</h1>"));
  const other = await serve((_, response) => response.setHeader("content-type", "application/json").end('{"ok":true}'));
  const missing = await serve((_, response) => response.writeHead(404).end("no such page"));
  for (const address of [page, other, missing]) {
    const { code, stdout, stderr } = await commandLine(["runs", "list"], {
      ...environment,
      SIGNALBOX_BASE_URL: address,
    });
    expect([code, stdout, stderr]).toEqual([4, "", expect.stringMatching(/ is not a Signalbox server/)]);
    expect(stderr).not.toMatch(/\n {4}at /);
  }
  const gone = `http://127.0.0.1:${await freePort()}`;
  const nobody = await commandLine(["runs", "list", "--json", "--base-url", gone], environment);
  expect([nobody.code, json(nobody.stderr)]).toMatchObject([
    4,
    { code: "unreachable", detail: `${gone} cannot be reached: nothing listens there.` },
  ]);
});

test("a long address has a line of its own", async () => {
  const { run } = await startServedTeam();
  const url = `https://nobody.invalid/${"long/".repeat(10)}`;
  const made = await run(["webhooks", "create", "--url", url], { columns: 80 });
  expect(made.stdout).toContain(`\nurl\n  ${url}\n`);
});

test("--all prints JSON Lines, and goes on in its file after a cut", async () => {
  const { run, folder, environment, baseUrl } = await startServedTeam();
  for (let count = 0; count < 5; count++) {
    await run(["webhooks", "create", "--url", `https://nobody.invalid/${count}`, "--description", `=1+${count}, "x"`]);
  }
  const pages = await run(["webhooks", "list", "--limit", "2", "--json"]);
  expect(json(pages.stdout)).toMatchObject({ results: [{}, {}], next: expect.any(String) });
  const second = await run(["webhooks", "list", "--limit", "2", "--after", json(pages.stdout).next, "--json"]);
  expect(json(second.stdout).results).toHaveLength(2);
  const lines = (await run(["webhooks", "list", "--all", "--limit", "2"])).stdout.trimEnd().split("\n").map(json);
  expect(lines.map(({ url }) => url)).toEqual([0, 1, 2, 3, 4].map((count) => `https://nobody.invalid/${count}`));

  // The server is gone after the second page.
  let calls = 0;
  const cut = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    if (++calls > 2) return void response.writeHead(500, { "content-type": "application/json" }).end("{}");
    const { authorization = "" } = request.headers;
    const headers = { authorization, "content-type": "application/json" };
    const answer = await fetch(`${baseUrl}${request.url}`, { method: "POST", headers, body });
    response.setHeader("content-type", "application/json").end(await answer.text());
  });
  const through = { ...environment, SIGNALBOX_BASE_URL: cut };
  for (const [name, format] of [
    ["all.jsonl", "jsonl"],
    ["all.csv", "csv"],
  ] as const) {
    calls = 0;
    const file = join(folder, name);
    const args = ["webhooks", "list", "--all", "--limit", "2", "--to", file];
    expect((await commandLine(args, through)).code).not.toBe(0);
    expect([existsSync(file), existsSync(`${file}.part`)]).toEqual([false, true]);
    // What a crash left half written.
    writeFileSync(`${file}.part`, "half a li", { flag: "a" });
    calls = -10;
    const done = await commandLine(args, through, { columns: 80 });
    expect([done.code, done.stderr]).toEqual([0, expect.stringMatching(/Going on after 4 records[\s\S]*5 records/)]);
    const kept = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(kept).toHaveLength(format === "csv" ? 6 : 5);
    expect([existsSync(`${file}.part`), existsSync(`${file}.progress`)]).toEqual([false, false]);
    // A spreadsheet would compute what begins like a formula.
    expect(kept.at(-1)).toContain(format === "csv" ? `"'=1+4, ""x"""` : '"description":"=1+4, \\"x\\""');
    expect((await commandLine(args, through)).stderr).toMatch(/is there already/);
  }
});

test("a terminal completes commands, options, choices and ids that the server knows", async () => {
  const { run, team } = await startServedTeam();
  const complete = async (...words: string[]) =>
    (await run(["__complete", ...words])).stdout.split("\n").map((line) => line.split("\t")[0]);
  expect(await complete("sch")).toEqual(["schedules", ""]);
  expect(await complete("runs", "re")).toEqual(["resolve", "replay", ""]);
  expect(await complete("runs", "list", "--sta")).toEqual(["--status", ""]);
  expect(await complete("runs", "list", "--status", "out")).toEqual(["outcome_unknown", ""]);
  expect(await complete("runs", "resolve", "run_us_1", "did")).toEqual(["did_not", ""]);
  const connection = await connectionThatOpensNothing(team, "deployment");
  expect(await complete("connections", "get", "con_")).toEqual([connection, ""]);
  expect(await complete("steps", "run", "list_deployments", "--connection", "")).toEqual([connection, ""]);
  expect(await complete("steps", "get", "list_")).toEqual(["list_deployments", ""]);
  for (const shell of ["bash", "zsh", "fish"]) {
    expect((await run(["completion", shell])).stdout).toContain("__complete");
  }
});
