import { execFile, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { firstRunOf, startServer } from "./support/processes/server-process.ts";
import { cleanUpLater, temporaryFolder } from "./support/stores.ts";

const run = promisify(execFile);
const repository = new URL("..", import.meta.url).pathname;
const fixtures = join(repository, "test/support/fourth-system");

/** A copy of the program with a fourth system: its folder, its sandbox, and its line in the list of each. */
function programWithFourthSystem(): string {
  const copy = temporaryFolder();
  const files = ["README.md", "CONTRIBUTING.md", "package.json", "tsconfig.json"];
  for (const name of ["src", "sandboxes", "test", "bench", "docs", ...files]) {
    cpSync(join(repository, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(repository, "node_modules"), join(copy, "node_modules"));
  const add = (fixture: string, file: string, room: string) => {
    mkdirSync(join(copy, file, ".."), { recursive: true });
    const text = readFileSync(join(fixtures, fixture), "utf8");
    writeFileSync(join(copy, file), text.replaceAll(`"../../../${room}/`, '"../'));
  };
  add("system.ts", "src/systems/tickets/system.ts", "src/systems");
  add("presentation.ts", "src/systems/tickets/presentation.ts", "src/systems");
  add("sandbox.ts", "sandboxes/tickets/tickets.ts", "sandboxes");
  addLine(
    join(copy, "src/systems/index.ts"),
    'import { tickets, ticketsEvents, ticketsSteps, ticketsWaits } from "./tickets/system.ts";',
    "  { system: analytics, steps: analyticsSteps },",
    "  { system: tickets, steps: ticketsSteps, events: ticketsEvents, waits: ticketsWaits },",
  );
  // The compiler asks for the following two.
  addLine(
    join(copy, "src/systems/presented-systems.ts"),
    'import { ticketsPresentation } from "./tickets/presentation.ts";',
    "  analytics: analyticsPresentation,",
    "  tickets: ticketsPresentation,",
  );
  addLine(
    join(copy, "sandboxes/serve.ts"),
    'import { createTicketsSandbox } from "./tickets/tickets.ts";',
    "  analytics: createAnalyticsSandbox,",
    "  tickets: createTicketsSandbox,",
  );
  return copy;
}

function addLine(file: string, importing: string, before: string, line: string): void {
  const text = readFileSync(file, "utf8");
  expect(text).toContain(before);
  writeFileSync(file, `${importing}\n${text.replace(before, `${before}\n${line}`)}`);
}

/** Program, console and those tests that know of systems, in one go: a pass for each would take three times as long. */
async function compile(copy: string): Promise<string> {
  const browser = JSON.parse(readFileSync(join(copy, "src/console/tsconfig.json"), "utf8"));
  const tests = ["test", "src"].flatMap((folder) =>
    readdirSync(join(copy, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => (folder === "test" ? name.endsWith(".ts") : name.endsWith(".test.ts")))
      .map((name) => join(folder, name))
      .filter(
        (path) =>
          !path.includes("fourth-system") && /\bSystemId\b|\bsystemIds\b/.test(readFileSync(join(copy, path), "utf8")),
      ),
  );
  expect(tests).toContain("test/support/platform.ts");
  const config = {
    extends: "./tsconfig.json",
    compilerOptions: browser.compilerOptions,
    include: ["src/cli/signalbox.ts", "sandboxes/process.ts", "src/console", "src/systems/index.ts", ...tests],
    exclude: ["**/fourth-system"],
  };
  writeFileSync(join(copy, "tsconfig.whole.json"), JSON.stringify(config));
  const compiler = join(repository, "node_modules/typescript/bin/tsc");
  const given = [compiler, "-p", "tsconfig.whole.json", "--singleThreaded"];
  const { stdout, stderr } = await run(process.execPath, given, { cwd: copy }).catch((failed) => failed);
  return stdout + stderr;
}

/** What pages of the console read of the systems. */
function shownInConsole(copy: string): unknown {
  const program = `
    const { titleOfSystem, waitSteps, eventSenders, systemsToTry } = await import("./src/console/state/systems.ts");
    const wait = waitSteps.find(({ system }) => system === "tickets").title;
    const senders = eventSenders.map(({ system }) => system);
    console.log(JSON.stringify({ title: titleOfSystem("tickets"), wait, senders, toTry: systemsToTry }));`;
  const given = ["--input-type=module", "-e", program];
  return JSON.parse(spawnSync(process.execPath, given, { cwd: copy, encoding: "utf8" }).stdout);
}

/** Tests that a list of three systems would break. */
const testsOfSystems = [
  ["src/systems/presented-systems.test.ts", "the console shows tickets with steps, waits and events that it has"],
  ["src/cli/sandbox.test.ts", "starts all of them alone, at the ports of the contract"],
  [
    "src/cli/connections.test.ts",
    "connects its project to each sandbox, is ready only then, and keeps the connections",
  ],
  ["src/mcp/oauth.test.ts", "has the tools that were allowed, at /mcp alone, and loses them with its key"],
  ["test/architecture.test.ts", "a folder of more than ten files or folders opens with a README.md that names each"],
  ["test/system-names.test.ts", "nothing outside of systems/ names a system, its vendor, its steps or its events"],
  ["test/documents/words.test.ts", "no house word stands in a sentence of the program"],
  ["test/documents/words.test.ts", "no house word stands in a description or summary of the API"],
] as const;

/** Of those tests, the ones that pass in the copy. They run without a database server. */
async function passedTests(copy: string): Promise<string[]> {
  const outcome = join(copy, "outcome.json");
  const config = {
    reporters: ["json"],
    outputFile: outcome,
    setupFiles: ["test/support/runner/after-tests.ts"],
    pool: "forks",
    isolate: false,
    maxWorkers: 2,
    testTimeout: 120_000,
    provide: { postgresUrl: null, postgresTables: 0, consoleFolder: await consoleFolderOf(copy) },
  };
  writeFileSync(join(copy, "vitest.config.ts"), `export default ${JSON.stringify({ test: config })};`);
  const files = new Set(testsOfSystems.map(([file]) => file));
  const names = testsOfSystems.map(([, name]) => name.replaceAll(".", "\\.")).join("|");
  const given = [join(repository, "node_modules/vitest/vitest.mjs"), "run", "-t", names, ...files];
  // Not the ports of the tests that run beside it.
  const env = { ...process.env, TEST_PORT_RANGE: "5" };
  const { stdout, stderr } = await run(process.execPath, given, { cwd: copy, env }).catch((failed) => failed);
  expect(existsSync(outcome), stdout + stderr).toBe(true);
  const { testResults } = JSON.parse(readFileSync(outcome, "utf8")) as Report;
  return testResults.flatMap(({ name: path, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === "passed")
      .map(({ title }) => `${relative(copy, path)}: ${title}`),
  );
}

interface Report {
  testResults: { name: string; assertionResults: { title: string; status: string }[] }[];
}

/** The server would build the console first, and nobody looks at it here. */
async function putConsole(copy: string): Promise<void> {
  const folder = await consoleFolderOf(copy);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "index.html"), "");
}

async function consoleFolderOf(copy: string): Promise<string> {
  const { consoleFolder } = (await import(join(copy, "src/start/build-console.ts"))) as { consoleFolder(): string };
  return consoleFolder();
}

// "A fourth system must cost its folder, its sandbox, one line in the index and nothing that the compiler does not ask for."
test("a fourth system costs its folder, its sandbox and its line in the list", { timeout: 300_000 }, async () => {
  const copy = programWithFourthSystem();
  await putConsole(copy);
  const [mistakes, passed] = await Promise.all([compile(copy), passedTests(copy)]);
  expect(mistakes).toBe("");
  expect(testsOfSystems.map(([file, name]) => `${file}: ${name}`).filter((each) => !passed.includes(each))).toEqual([]);
  expect(shownInConsole(copy)).toEqual({
    title: "Ticket tracker",
    wait: "Wait for a ticket",
    senders: ["deployment", "tickets"],
    toTry: "marketing, deployment, analytics or tickets",
  });

  const home = temporaryFolder();
  const server = await startServer(home, { SIGNALBOX_SANDBOXES: "own" }, undefined, copy);
  cleanUpLater(() => server.kill());
  const { project_id: project, api_key: key, connections } = firstRunOf(home);
  const call = async (operation: string, body: unknown = {}) => {
    const response = await fetch(`http://127.0.0.1:${server.port}/latest/${operation}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${project}:${key}` },
      body: JSON.stringify(body),
    });
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members it expects.
    return (await response.json()) as any;
  };

  const listed = (await call("systems/list")).results.find(({ system }: { system: string }) => system === "tickets");
  expect(listed).toMatchObject({ title: "Ticket tracker", vendor: "Ticketeer", steps: ["read_ticket"] });
  expect(listed.instances.map(({ ways }: { ways: string[] }) => ways)).toEqual([["token"], ["token"]]);
  expect((await call("steps/list", { system: "tickets" })).results).toMatchObject([{ step_id: "read_ticket" }]);
  expect((await call("steps/search", { query: "ticket tracker" })).results[0].step_id).toBe("read_ticket");

  const first = (connections as Record<string, string>).tickets;
  const wrong = { system: "tickets", instance: "sandbox", credentials: { token: "wrong-token" } };
  expect(await call("connections/connect", wrong)).toMatchObject({ code: "authentication_failed" });
  const right = { ...wrong, credentials: { token: "tickets-demonstration-token" } };
  const { connection_id: second } = await call("connections/connect", right);

  const runStep = (connection_id: string | undefined) =>
    call("steps/read_ticket/run", { connection_id, input: { ticket_id: 7 }, wait_seconds: 0 });
  expect(await runStep(first)).toMatchObject({ status: "succeeded", output: { subject: "About /v1/tickets/7" } });
  const limits = (await call("limits/list")).results.filter(({ system }: { system: string }) => system === "tickets");
  expect(limits[0]).toMatchObject({ name: "burst", max: 5 });

  const policy = { rules: [{ effect: "deny", path: "/v1/tickets/*" }] };
  await call(`connections/${second}/update`, { connection_id: second, policy });
  expect(await runStep(second)).toMatchObject({ status: "failed", problem: { code: "policy_denied" } });

  const only = (id: string) => call(`connections/${second}/update`, { policy: { only: { ticket: [id] } } });
  await only("#8");
  expect(await runStep(second)).toMatchObject({ status: "failed", problem: { code: "policy_denied" } });
  await only("#7");
  expect(await runStep(second)).toMatchObject({ status: "succeeded" });

  const created = await call("agents/create", { name: "Watch", rules: [] });
  const event = JSON.stringify({ type: "TICKET_CLOSED", ticket: { id: 7 } });
  const send = (hash: string) =>
    fetch(`http://127.0.0.1:${server.port}${new URL(created.webhook_url).pathname}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-ticketeer-signature": createHmac(hash, created.webhook_secret).update(event).digest("hex"),
      },
      body: event,
    });
  expect((await send("sha1")).status).toBe(401);
  expect((await send("sha256")).status).toBe(202);
  expect((await call("events/list")).results).toMatchObject([{ type: "ticket.closed", signature: "valid" }]);

  const waits = { name: "closed", step: "wait_for_ticket", connection_id: first, input: { ticket_id: 7 } };
  const { tool_id: tool } = await call("tools/create", { title: "Wait", steps: [waits] });
  const waited = await call(`tools/${tool}/trigger`, { wait_seconds: 20 });
  expect(waited).toMatchObject({ status: "succeeded", output: { state: "closed" } });

  const ends = [];
  for (let count = 0; count < 6; count++) ends.push(await runStep(first));
  expect(ends.at(-1)).toMatchObject({ status: "failed", problem: { code: "rate_limited" } });

  const openapi = await (await fetch(`http://127.0.0.1:${server.port}/latest/openapi.json`)).text();
  expect(openapi).toContain("`marketing`, `deployment`, `analytics` or `tickets`");
});
