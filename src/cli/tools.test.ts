import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandLine } from "../../test/support/processes/command-line.ts";
import { temporaryFolder } from "../../test/support/stores.ts";
import { startTeam } from "../../test/support/team.ts";

/** The command against a server that listens, with a key from the environment. */
async function startServed() {
  const team = await startTeam("sqlite");
  const baseUrl = await team.app.listen({ host: "127.0.0.1", port: 0 });
  const folder = temporaryFolder();
  const environment = {
    SIGNALBOX_HOME: folder,
    SIGNALBOX_API_KEY: team.owner.apiKey,
    SIGNALBOX_PROJECT: team.projectId,
    SIGNALBOX_BASE_URL_US: baseUrl,
  };
  const fileOf = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  return { folder, fileOf, tools: (...args: string[]) => commandLine(["tools", ...args], environment) };
}

const yaml = `title: Waits
params_schema:
  type: object
steps:
  - name: pause
    step: wait
    input:
      seconds: 1
`;

describe("signalbox tools", () => {
  test("a tool is imported, listed, published, exported as it was, and deleted", async () => {
    const { folder, fileOf, tools } = await startServed();
    const made = await tools("import", fileOf("tool.yaml", yaml), "--json");
    expect(made).toMatchObject({ code: 0, stderr: "" });
    const { tool_id: tool } = JSON.parse(made.stdout);
    expect((await tools("publish", tool, "--note", "first", "--json")).stdout).toContain('"version":1');
    expect((await tools("list")).stdout).toMatch(/^tool_id +title +steps.*\ntol_us_\S+ +Waits +1 +1 /);
    expect((await tools("versions", tool)).stdout).toMatch(/^version +note.*\n1 +first /);
    expect((await tools("export", tool)).stdout).toBe(yaml);
    await tools("export", tool, "--version", "1", "--file", join(folder, "out.yaml"));
    expect(readFileSync(join(folder, "out.yaml"), "utf8")).toBe(yaml);
    await tools(
      "import",
      fileOf("new.json", '{"title":"New","steps":[{"name":"a","step":"wait","input":{"seconds":2}}]}'),
      "--tool",
      tool,
    );
    expect(JSON.parse((await tools("get", tool, "--json")).stdout)).toMatchObject({
      title: "New",
      published_version: 1,
    });
    expect((await tools("restore", tool, "1")).stdout).toMatch(/^title +Waits$/m);
    expect((await tools("delete", tool)).code).toBe(0);
    expect((await tools("list")).stdout).toBe("none\n");
  });

  test("mistakes are listed with where they are, and an exit code", async () => {
    const { fileOf, tools } = await startServed();
    expect(await tools("validate", fileOf("good.yaml", yaml))).toMatchObject({ code: 0, stdout: "valid\n" });
    const bad = fileOf("bad.yaml", yaml.replace("wait", "fly"));
    const found = await tools("validate", bad);
    expect([found.code, found.stdout]).toEqual([1, expect.stringContaining("#/steps/0/step")]);
    const refused = await tools("import", bad);
    expect([refused.code, refused.stdout]).toEqual([3, ""]);
    expect(refused.stderr).toMatch(/validation_failed[\s\S]*yaml\.steps\.0\.step:/);
    expect((await tools("import", "/nowhere/tool.yaml")).stderr).toMatch(/cannot be read/);
    expect((await tools("publish", "tol_us_none")).stderr).toMatch(/tool_not_found/);
  });
});
