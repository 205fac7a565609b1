import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandLine } from "../../../test/support/processes/command-line.ts";
import { serve } from "../../../test/support/processes/local-servers.ts";
import { startServedTeam } from "../../../test/support/processes/served-team.ts";
import { differenceOf } from "./difference.ts";

const json = (text: string) => JSON.parse(text);

const tool = `title: Waits
steps:
  - name: pause
    step: wait
    input:
      seconds: 1
`;
const agent = "name: Watch\ntools:\n  - waits\nrules:\n  - on: deployment.failed\n    tool: waits\n";
const schedule = "tool: waits\ncron: 0 9 * * 1-5\n";

// "`signalbox tools push` and `pull` keep tools, agents and schedules as YAML in a git repository: a plan with a difference is shown
// before anything is applied, drift is found."
test("files become tools, agents and schedules after their plan was shown, and drift is found in both directions", async () => {
  const { run, folder } = await startServedTeam();
  const at = (name: string) => join(folder, "repository", name);
  const [push, pull] = ["push", "pull"].map(
    (word) =>
      (...more: string[]) =>
        run(["tools", word, at(""), ...more]),
  );
  if (!push || !pull) throw new Error("no commands");
  expect((await push()).stderr).toMatch(/has no files/);
  for (const name of ["tools", "agents", "schedules"]) mkdirSync(at(name), { recursive: true });
  writeFileSync(at("tools/waits.yaml"), tool);
  writeFileSync(at("agents/watch.yaml"), agent);
  writeFileSync(at("schedules/mornings.yaml"), schedule);

  const plan = await push("--plan");
  expect([plan.code, plan.stdout]).toEqual([0, expect.stringMatching(/^\+ tools\/waits\.yaml\n {4}\+title: Waits\n/)]);
  expect(plan.stdout).toMatch(/3 to create, 0 to change, 0 to delete\.\n$/);
  expect((await push("--plan", "--exit-code")).code).toBe(1);
  expect((await push()).stderr).toMatch(/add --yes/);
  const asked = await run(["tools", "push", at("")], { columns: 80, input: "n\n" });
  expect([asked.code, asked.stderr]).toEqual([0, expect.stringMatching(/Apply\? \[y\/N\] .*Nothing was changed\./s)]);
  expect(json((await run(["tools", "list", "--json"])).stdout).results).toEqual([]);

  expect(json((await push("--yes", "--json")).stdout)).toMatchObject({ applied: true, create: 3 });
  const [made] = json((await run(["tools", "list", "--json"])).stdout).results;
  expect(made).toMatchObject({ title: "Waits", published_version: 1 });
  const [watch] = json((await run(["agents", "list", "--json"])).stdout).results;
  expect(watch).toMatchObject({ tools: [made.tool_id], rules: [{ on: "deployment.failed", tool_id: made.tool_id }] });
  const again = await push("--plan", "--exit-code");
  expect([again.code, again.stdout]).toEqual([0, "Nothing differs.\n"]);

  // Somebody changes it in the console.
  const steps = JSON.stringify([{ name: "pause", step: "wait", input: { seconds: 2 } }]);
  await run(["tools", "update", made.tool_id, "--steps", steps]);
  writeFileSync(at("tools/waits.yaml"), tool.replace("seconds: 1", "seconds: 3"));
  const drifted = json((await push("--plan", "--json")).stdout);
  expect(drifted).toMatchObject({ drift: 1, changes: [{ file: "tools/waits.yaml", action: "update", drift: true }] });
  expect(drifted.changes[0].difference).toEqual(expect.arrayContaining(["-      seconds: 2", "+      seconds: 3"]));
  const refused = await push("--yes");
  expect([refused.code, refused.stderr]).toEqual([
    3,
    expect.stringMatching(/Changed on the server .*tools\/waits\.yaml/),
  ]);
  const unpulled = await pull("--yes");
  expect([unpulled.code, unpulled.stderr]).toEqual([3, expect.stringMatching(/Changed in the folder/)]);
  expect((await pull("--yes", "--force")).code).toBe(0);
  expect(readFileSync(at("tools/waits.yaml"), "utf8")).toContain("seconds: 2");
  expect((await push("--plan", "--exit-code")).code).toBe(0);

  // A pull into an empty folder writes the same files, which change nothing.
  rmSync(at(""), { recursive: true });
  expect((await pull("--yes")).code).toBe(0);
  expect(readFileSync(at("agents/watch.yaml"), "utf8")).toBe(agent);
  expect((await push("--plan", "--exit-code")).stdout).toBe("Nothing differs.\n");
  rmSync(at("agents/watch.yaml"));
  expect(json((await push("--plan", "--json")).stdout)).toMatchObject({ delete: 0, unmanaged: 1 });
  expect((await push("--yes", "--delete")).code).toBe(0);
  expect(json((await run(["agents", "list", "--json"])).stdout).results).toEqual([]);
  expect(existsSync(at("agents/watch.yaml"))).toBe(false);
});

test("what somebody changes between the plan and its application is not overwritten", async () => {
  const { run, folder, environment, baseUrl } = await startServedTeam();
  const at = (name: string) => join(folder, "repository", name);
  for (const name of ["tools", "agents", "schedules"]) mkdirSync(at(name), { recursive: true });
  writeFileSync(at("tools/waits.yaml"), tool);
  writeFileSync(at("agents/watch.yaml"), agent);
  writeFileSync(at("schedules/mornings.yaml"), schedule);
  expect((await run(["tools", "push", at(""), "--yes"])).code).toBe(0);
  const idOf = async (group: string, name: string) =>
    json((await run([group, "list", "--json"])).stdout).results[0][name] as string;
  const colleague: Record<string, readonly string[]> = {
    agents: ["agents", "update", await idOf("agents", "agent_id"), "--instructions", "by hand"],
    schedules: ["schedules", "update", await idOf("schedules", "schedule_id"), "--cron", "0 7 * * *"],
  };
  // A colleague is faster than the first update that passes here.
  const slow = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const [, group = ""] = /^\/latest\/(\w+)\/\w+\/update$/.exec(request.url ?? "") ?? [];
    if (colleague[group]) await run(colleague[group]);
    const headers = { authorization: request.headers.authorization ?? "", "content-type": "application/json" };
    const answer = await fetch(`${baseUrl}${request.url}`, { method: "POST", headers, body });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    response.end(await answer.text());
  });
  for (const [file, text, group, kept] of [
    ["agents/watch.yaml", `${agent}instructions: by file\n`, "agents", { instructions: "by hand" }],
    ["schedules/mornings.yaml", schedule.replace("0 9", "0 8"), "schedules", { cron: "0 7 * * *" }],
  ] as const) {
    const before = readFileSync(at(file), "utf8");
    writeFileSync(at(file), text);
    const late = await commandLine(["tools", "push", at(""), "--yes"], { ...environment, SIGNALBOX_BASE_URL: slow });
    const said = `signalbox: ${file} was changed on the server after the plan was made`;
    expect([late.code, late.stderr]).toEqual([3, expect.stringContaining(said)]);
    expect(json((await run([group, "list", "--json"])).stdout).results).toMatchObject([kept]);
    writeFileSync(at(file), before);
    expect((await run(["tools", "push", at(""), "--plan", "--json"])).stdout).toContain('"drift":1');
    expect((await run(["tools", "pull", at(""), "--yes"])).code).toBe(0);
  }
});

test("a difference shows what changed, with the lines around it", () => {
  const before = "a\nb\nc\nd\ne\nf\n";
  expect(differenceOf(before, before.replace("d", "D"))).toEqual([" b", " c", "-d", "+D", " e", " f"]);
  expect(differenceOf("", "a\n")).toEqual(["+a"]);
  expect(differenceOf("a\n", "")).toEqual(["-a"]);
});
