import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { readConfig } from "../../src/start/settings/config.ts";
import { hasPseudoTerminal, wrappedLines } from "../support/processes/pseudo-terminal.ts";
import { findProgram } from "../support/runner/find-program.ts";
import { root } from "./documents.ts";
import { atSandbox, forReader, prepare, stepOf, unknownRun } from "./example-reader.ts";
import { examples, examplesBy, executed, notExecuted, wayOf } from "./example-table.ts";
import { type Answer, startWorld, type World } from "./example-world.ts";

// "Every example in them, README included, is executed in npm test."

let world: World;
beforeAll(async () => {
  // Two pages use it.
  findProgram("jq", "jq", "commands with it fail");
  world = await startWorld();
}, 60_000);
afterAll(() => world.end());

test("every example is executed, or listed with the reason why not", () => {
  expect(examples.filter((block) => wayOf(block) === null)).toEqual([]);
  const unused = notExecuted.filter(({ path, line }) => {
    const commands = examples.filter((block) => block.path === path).flatMap(({ code }) => code.split("\n"));
    return !commands.some((command) => command.trimStart().startsWith(line));
  });
  expect(unused).toEqual([]);
});

const scriptOf = (path: string): string[] =>
  examplesBy("shell")
    .filter((block) => block.path === path)
    .map((block) => forReader(world, executed(block), path))
    .filter((code) => code.trim() !== "");

describe("the command line", () => {
  const path = "docs/cli.md";

  test.skipIf(!hasPseudoTerminal)(
    "works as its page says, at a terminal, from the first line to the last",
    { timeout: 240_000 },
    async () => {
      const { call } = world;
      const { api_key } = await call("auth/keys/create", { label: "key.txt" });
      writeFileSync(join(world.folder, "key.txt"), `${api_key}\n`);
      const { tool_id: tool = "" } = await call("tools/create", redeploy());
      await call("agents/create", { name: "Release watch", rules: [{ on: "deployment.failed", tool_id: tool }] });
      const runs = [await endedRun(), await waitingRun(tool), await unknownRun(world)];
      const blocks = scriptOf(path).map((code) =>
        code
          .replaceAll("tol_us_123", tool)
          .replace(/run_us_123/g, () => runs.shift() ?? "")
          .replace("--system analytics", "--system analytics --instance sandbox")
          .replace(/^source <\(.* zsh\)$/m, (line) => inShell("zsh", `autoload -U compinit; compinit -u; ${line}`))
          .replace(/^.* fish \| source$/m, (line) => inShell("fish", line)),
      );
      const { code, text } = await world.atTerminal(blocks);
      expect(code, text.slice(-3000)).toBe(0);
      expect(wrappedLines(withoutJson(text))).toEqual([]);
    },
  );

  test.skipIf(!hasPseudoTerminal)("has pulled the files that its page shows", () => {
    const [{ code = "" } = {}] = examplesBy("folder");
    const [folder = "", ...lines] = code.trim().split("\n");
    const files = readdirSync(join(world.folder, folder), { recursive: true, encoding: "utf8" });
    expect(files.filter((name) => name.includes(".")).sort()).toEqual(lines.map((line) => line.trim()).sort());
  });

  test.skipIf(!hasPseudoTerminal)("the workflow shows the plan, applies it and finds drift", async () => {
    const [{ code = "" } = {}] = examplesBy("workflow");
    const { jobs } = parseYaml(code) as { jobs: { tools: { env: Answer; steps: { if?: string; run?: string }[] } } };
    const environment = Object.entries(jobs.tools.env).map(
      ([name, value]) =>
        `export ${name}='${forReader(world, value, path).replace(/\$\{\{.*\}\}/, world.region.api_key)}'`,
    );
    const steps = jobs.tools.steps.filter((step) => step.if !== undefined);
    expect(steps.map((step) => step.if?.split("'")[1])).toEqual(["pull_request", "push", "schedule"]);
    for (const { run = "" } of steps) {
      const command = run.replace("signalbox-cli/signalbox", "./signalbox").replace("$GITHUB_SHA", "abc");
      expect((await world.shell(path, [...environment, command])).error).toBe("");
    }
  });
});

const inShell = (shell: string, line: string): string =>
  findProgram(shell, shell, "its completion is not loaded") === "" ? "" : `${shell} -c '${line}'`;

const redeploy = () => ({
  title: "Redeploy a branch",
  params_schema: { type: "object", properties: { branch: { type: "string" } } },
  steps: [
    {
      name: "latest",
      step: "list_deployments",
      connection_id: world.region.connections?.deployment,
      input: { limit: 1 },
    },
    { name: "ask", step: "approve", input: { message: "Again?" } },
  ],
});

async function endedRun(): Promise<string> {
  const body = { connection_id: world.region.connections?.deployment, input: { limit: 1 } };
  return (await world.call("steps/list_deployments/run", body)).run_id ?? "";
}

const waitingRun = async (tool: string): Promise<string> =>
  (await world.call(`tools/${tool}/trigger`, { params: { branch: "main" } })).run_id ?? "";

/** `--json` is for programs: its one line is as long as it is. */
const withoutJson = (text: string): string => text.replaceAll(/^[{[].*$/gm, "");

describe("the commands of the other pages", () => {
  const paths = [...new Set(examplesBy("shell").map((block) => block.path))].filter((path) => path !== "docs/cli.md");

  test.each(paths)("%s", async (path) => {
    await prepare(world, path);
    const blocks = scriptOf(path).filter((code) => !needsNoServer(code));
    const { said, error } = await world.shell(
      path,
      (await Promise.all(blocks.map((code) => atSandbox(world, code, path)))) ?? [],
    );
    expect(error).toBe("");
    if (path === "docs/quickstart.md") expect(said).toMatch(/"status":"waiting"/);
  });

  test("README, Quickstart and the pages of the steps are among them", () => {
    expect(paths).toEqual(expect.arrayContaining(["README.md", "docs/quickstart.md", "docs/steps/run_reports.md"]));
  });
});

const needsNoServer = (code: string): boolean => code.trimStart().startsWith("./signalbox restore");

describe("files and values", () => {
  test("settings are accepted by the server that reads them", () => {
    for (const { path, code } of examplesBy("settings")) {
      const lines = code.replaceAll("<the key>", Buffer.alloc(32, 1).toString("base64")).trim().split("\n");
      const read = lines.map((line) => /^\s*(\w+)="?(.*?)"?$/.exec(line)?.slice(1) ?? []);
      expect(() => readConfig(Object.fromEntries(read), { home: world.folder }), path).not.toThrow();
    }
    expect(() => readConfig({ SIGNALBOX_REGIONS: "mars" }, { home: world.folder })).toThrow();
  });

  test("the settings of each assistant connect an MCP client, which finds the steps", async () => {
    const token = `${world.region.project_id}:${world.region.api_key}`;
    const blocks = examplesBy("MCP settings").map(({ code, path }) =>
      forReader(world, code.replaceAll("prj_us_…:sbk_us_…", token), path),
    );
    expect(blocks).toHaveLength(5);
    for (const block of blocks) {
      const { url, authorization } = assistantSettings(block, token);
      const client = new Client({ name: "assistant", version: "1" }, { versionNegotiation: { mode: "auto" } });
      await client.connect(
        new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } }),
      );
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain("run_reports");
      await client.close();
    }
  });

  test("the bodies and outputs on the pages of the steps are what the steps take and return", () => {
    for (const { path, code } of examplesBy("body of a step")) {
      // test/journeys/steps.test.ts runs all of these.
      const inputs = stepOf(path)?.examples.map(({ input }) => input);
      expect(inputs, path).toContainEqual((JSON.parse(code) as { input: unknown }).input);
    }
    const outputs = examplesBy("output of a step");
    expect(outputs.length).toBe(9);
    for (const { path, code } of outputs)
      expect(stepOf(path)?.output.safeParse(JSON.parse(code)).error, path).toBeUndefined();
  });

  test("the agent and the tool can be created, and the response is one that the server sends", async () => {
    const { call } = world;
    for (const { path, code } of examplesBy("agent"))
      await call("agents/create", JSON.parse(forReader(world, code, path)));
    for (const { path, code } of examplesBy("tool")) await call("tools/import", { yaml: forReader(world, code, path) });
    const begun = await call("connections/connect", { system: "analytics", instance: "sandbox" });
    for (const { code } of examplesBy("response")) expect(Object.keys(JSON.parse(code))).toEqual(Object.keys(begun));
  });
});

/** Address and header, in the form that each assistant documents. */
function assistantSettings(block: string, token: string): { url: string; authorization: string } {
  if (block.startsWith("{")) {
    const { mcpServers, servers } = JSON.parse(block);
    const { url, httpUrl, headers } = (mcpServers ?? servers).signalbox;
    return { url: url ?? httpUrl, authorization: headers.Authorization };
  }
  const [, url = ""] = /(?:url = "| signalbox )(http[^\s"]+)/.exec(block) ?? [];
  const [, authorization] = /--header "Authorization: ([^"]+)"/.exec(block) ?? [];
  return {
    url,
    authorization: authorization ?? `Bearer ${/bearer_token_env_var = "SIGNALBOX_TOKEN"/.test(block) && token}`,
  };
}

describe("backups", () => {
  test("the line of the crontab makes one, and it is restored once the server has stopped", async () => {
    const path = "docs/production.md";
    const [{ code = "" } = {}] = examplesBy("crontab");
    const command = forReader(world, code, path)
      .replace(/^(\S+ ){5}/, "")
      .replace("/opt/signalbox/", root);
    const set = `export SIGNALBOX_HOME=${world.home}`;
    expect((await world.shell(path, [set, command])).error).toBe("");
    const made = readdirSync(join(world.folder, "backup")).filter((name) => /^us-[\dT-]+\.backup$/.test(name));
    expect(made.length).toBe(2);
    await world.server.stop();
    const { said, error } = await world.shell(path, [set, ...scriptOf(path).filter(needsNoServer)]);
    expect([error, said]).toEqual(["", expect.stringMatching(/before-restore/)]);
    expect(readFileSync(join(world.home, "us.sqlite")).length).toBeGreaterThan(0);
  });
});
