import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startPlatform } from "../../test/support/platform.ts";
import { generatorModules } from "../../test/support/processes/generators.ts";
import { temporaryFolder } from "../../test/support/stores.ts";

const inspector = join(generatorModules, "@modelcontextprotocol/inspector/clients/launcher/build/index.js");
const run = promisify(execFile);

// "The official MCP client and the inspector's command line on both protocol generations."
test.each(["legacy", "modern"])("the protocol's own inspector finds nothing wrong, generation: %s", async (era) => {
  const { app, owner, projectId } = await startPlatform();
  const address = new URL("/mcp", await app.app.listen({ host: "127.0.0.1", port: 0 })).href;
  // What it keeps of its own goes to a folder of the test.
  const env = { ...process.env, HOME: temporaryFolder() };
  const inspect = async (...more: string[]) => {
    const header = `Authorization: Bearer ${projectId}:${owner.apiKey}`;
    const common = ["--cli", address, "--protocol-era", era, "--header", header, "--format", "json", "--quiet"];
    const { stdout } = await run(process.execPath, [inspector, ...common, ...more], { env });
    return JSON.parse(stdout).result;
  };
  // With `--strict` it ends with an error where a schema cannot be used.
  const { tools } = await inspect("--method", "tools/list", "--strict");
  expect(tools.map(({ name }: { name: string }) => name)).toContain("run_reports");
  const called = await inspect("--method", "tools/call", "--tool-name", "list_deployments", "--tool-arg", "limit=1");
  expect(called.structuredContent).toMatchObject({ deployments: [{}] });
  const { resources } = await inspect("--method", "resources/list");
  expect(resources).toMatchObject([{ uri: `signalbox://runs/${called._meta["signalbox/run_id"]}` }]);
});
