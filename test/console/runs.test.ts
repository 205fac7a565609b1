import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser/browser.ts";
import { type ConsoleWorld, startConsole } from "../support/browser/console.ts";
import { runOnce } from "../support/runs/runs.ts";

describeInBrowser("runs in the console", () => {
  test("a list of 10,000 runs: rows exist while they are on screen, keys move through it, Enter opens", async () => {
    const world = await startConsole();
    const { page, open, site, projectId } = world;
    await tenThousandRuns(world);
    await open("runs");
    const rows = page.getByRole("table", { name: "Runs" }).getByRole("row");
    const height = () => page.evaluate<number>("document.documentElement.scrollHeight");
    await rows.nth(1).focus();
    for (const _ of ["second", "third", "fourth page"]) {
      const before = await height();
      await page.keyboard.press("End");
      await expect.poll(height).toBeGreaterThan(before);
    }
    expect(await rows.count()).toBeLessThan(80);
    await page.keyboard.press("ArrowUp");
    const focused = page.locator("tr:focus");
    const title = await focused.locator("[title^=run_]").getAttribute("title");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${site}/projects/${projectId}/runs/${title}`);
    await page.getByRole("heading", { level: 1, name: "Run of Deployment Platform API Call" }).waitFor();
  });

  test("each filter is a control and stands in the address: a reload and a shared link show the same list", async () => {
    const world = await startConsole();
    const { page, open, run, call, app } = world;
    const toolId = await rateLimitedRead(world);
    const path = "/v9/projects/no-such-project";
    const { body: failed } = await run("deployment_api_call", { method: "GET", path });
    await run("deployment_api_call", { method: "GET", path: "/v9/projects" });
    await run("marketing_api_call", { method: "GET", endpoint: "/rest/v1/lists.json" });
    await open("runs");
    const rows = page.getByRole("table", { name: "Runs" }).locator("tbody tr");
    await rows.nth(3).waitFor();
    const choose = async (filter: string, option: string) => {
      await page.getByRole("combobox", { name: filter }).click();
      await page.getByRole("option", { name: option }).click();
    };
    await choose("Step", "Deployment Platform API Call");
    await expect.poll(() => rows.count()).toBe(3);
    await choose("Tool", "Reads projects");
    await expect.poll(() => rows.count()).toBe(1);
    expect(new URL(page.url()).searchParams.get("tool")).toBe(toolId);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect.poll(() => rows.count()).toBe(4);
    await choose("Status", "Failed");
    await expect.poll(() => rows.count()).toBe(1);
    await choose("Status", "Failed");
    await expect.poll(() => rows.count()).toBe(4);
    await app.store.transaction((db) =>
      db.query("update runs set created_at = $2 where tool_id = $1", [toolId, hoursAgo(app.now(), 3)]),
    );
    await choose("Time", "Last hour");
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByLabel("Search runs").fill("NOT_FOUND");
    await expect.poll(() => rows.count()).toBe(1);
    await page.reload();
    await rows.first().waitFor();
    expect(await rows.count()).toBe(1);
    expect(await rows.first().textContent()).toContain("Failed");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect.poll(() => rows.count()).toBe(4);
    expect((await call("runs/list", { text: "not_found" })).body.results[0].run_id).toBe(failed.run_id);

    // "One run as a timeline of steps, waits, attempts and limits": the system asked for a pause before the second request.
    await page.getByRole("row", { name: /Reads projects/ }).click();
    const head = page.getByRole("button", { name: /^read Deployment Platform API Call/ });
    await expect.poll(() => head.innerText()).toMatch(/2 requests · waited (1|\d\.\d) s/);
    // On a busy machine the first request may have waited too.
    await page.locator(".timeline-wait").first().waitFor({ state: "attached" });
    const requests = page.getByRole("listbox", { name: "Requests of read" }).getByRole("option");
    await expect
      .poll(() => requests.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^1\s+GET \/v9\/projects.*429/s),
        expect.stringMatching(/^2\s+GET \/v9\/projects.*waited.*200/s),
      ]);
    await page.getByText(/of 500 left, resets/).waitFor();
    await requests.first().click();
    await page.getByText("Status 429").waitFor();
  });

  test("a run shows each request and response, and copies a request as curl without its secret", async () => {
    const { page, open, run, sandboxes } = await startConsole({ permissions: ["clipboard-read", "clipboard-write"] });
    const { body } = await run("deployment_api_call", { method: "GET", path: "/v9/projects?search=it's" });
    await open(`runs/${body.run_id}`);
    await page.getByText("Status 200").waitFor();
    await page.getByLabel("Output of deployment_api_call").waitFor();
    await page.getByRole("button", { name: "Copy as curl" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const command = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(command).toContain("curl -X GET '");
    expect(command).toContain("search=it%27s");
    expect(command).toContain('"authorization: Bearer $TOKEN"');
    expect(command).not.toContain(sandboxes.deployment.credentials.token);
  });

  test("an approval is answered in place, the page follows the run, and a replay takes changed params", async () => {
    const world = await startConsole();
    const { page, open, call } = world;
    const runId = await askedDeployment(world);
    await open(`runs/${runId}`);
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Approve and send" }).click();
    await page.locator(".facts .status", { hasText: "Succeeded" }).waitFor();
    expect((await call(`runs/${runId}/get`)).body.status).toBe("succeeded");
    await page.getByRole("button", { name: "Replay" }).click();
    const params = page.getByRole("dialog").getByLabel("Params");
    await params.fill('{ "branch": ');
    await page.getByText("This is not JSON yet").waitFor();
    await params.fill('{ "branch": "other" }');
    await page.getByRole("dialog").getByRole("button", { name: "Run again" }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(runId));
    const again = page.url().split("/").at(-1) ?? "";
    await runOnce(world, again, "waiting");
    expect((await call(`runs/${again}/get`)).body).toMatchObject({
      params: { branch: "other" },
      source: { kind: "replay", id: runId },
    });
    await page.getByRole("button", { name: "Cancel the run" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Stop it" }).click();
    await page.locator(".facts .status", { hasText: "Cancelled" }).waitFor();
  });

  test("a run with 1,000 requests and an output of 5 MB stays usable", async () => {
    const world = await startConsole();
    const { page, open } = world;
    const runId = await askedDeployment(world);
    await makeLarge(world, runId);
    await open(`runs/${runId}?step=1`);
    const list = page.getByRole("listbox", { name: "Requests of latest" });
    await list.focus();
    await page.keyboard.press("End");
    await page.getByRole("option", { selected: true }).filter({ hasText: "1000" }).waitFor();
    expect(await page.getByRole("option").count()).toBeLessThan(60);
    await page.keyboard.press("Home");
    await expect.poll(() => new URL(page.url()).searchParams.get("attempt")).toBe("1");
    await page.getByRole("button", { name: /^Load the whole output \(5\.\d MB\)/ }).click();
    await page.getByRole("button", { name: "Download" }).waitFor();
    expect(await page.evaluate<number>("document.body.innerText.length")).toBeLessThan(60_000);
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("dialog", { name: "Approve this request?" }).waitFor();
  });

  test("an id that does not exist gets a sentence and a way on", async () => {
    const { page, open } = await startConsole();
    await open("runs/run_us_nothing");
    await page.getByRole("alert").waitFor();
    await page.getByRole("link", { name: "All runs" }).click();
    await page.getByText("No runs yet").waitFor();
  });
});

/** A tool that lists deployments, asks a person, and deploys a branch: its run waits for the person. */
async function askedDeployment(world: ConsoleWorld): Promise<string> {
  const { call, connections } = world;
  const steps = [
    { name: "latest", step: "list_deployments", connection_id: connections.deployment, input: { limit: 2 } },
    { name: "ok", step: "approve", input: { message: "Deploy it?" } },
    {
      name: "deploy",
      step: "create_deployment",
      connection_id: connections.deployment,
      input: { project: "web", branch: "{{params.branch}}" },
    },
  ];
  const params_schema = { type: "object", properties: { branch: { type: "string" } } };
  const { body: tool } = await call("tools/create", { title: "Deploy", params_schema, steps });
  const { body } = await call(`tools/${tool.tool_id}/trigger_async`, { params: { branch: "main" } });
  await runOnce(world, body.run_id, "waiting");
  return body.run_id;
}

const hoursAgo = (now: Date, hours: number): string => new Date(now.getTime() - hours * 3_600_000).toISOString();

/** A tool that has run: the system refused its first request for a second. */
async function rateLimitedRead({ call, sandboxes, connections }: ConsoleWorld): Promise<string> {
  const input = { method: "GET", path: "/v9/projects" };
  const { body: tool } = await call("tools/create", {
    title: "Reads projects",
    steps: [{ name: "read", step: "deployment_api_call", connection_id: connections.deployment, input }],
  });
  const again = { status: 429, headers: { "retry-after": "1" }, body: { error: { code: "rate_limited" } } };
  await sandboxes.deployment.control("faults", { match: { path: "/v9/projects" }, times: 1, ...again });
  expect((await call(`tools/${tool.tool_id}/trigger`, { params: {} })).body.status).toBe("succeeded");
  return tool.tool_id;
}

async function tenThousandRuns({ app, run }: ConsoleWorld): Promise<void> {
  // Its output is small, and so are ten thousand of them.
  const { body } = await run("deployment_api_call", { method: "GET", path: "/v2/user" });
  const columns = `organization_id, project_id, kind, step_id, connection_id, status, params, attempts, output, output_bytes,
    warnings, limits, started_by, created_at, finished_at`;
  await app.store.transaction((db) =>
    db.query(
      `insert into runs (id, ${columns})
       with recursive n(i) as (select 10000 union all select i + 1 from n where i < 19999)
       select 'run_us_00' || i, ${columns} from runs, n where id = $1`,
      [body.run_id],
    ),
  );
}

/** Its first step has a thousand attempts and five megabytes of output. */
async function makeLarge({ app, call }: ConsoleWorld, runId: string): Promise<void> {
  const { body } = await call(`runs/${runId}/get`);
  const [attempt] = body.steps[0].attempts;
  const output = JSON.stringify(Array.from({ length: 50_000 }, (_, index) => ({ index, text: "x".repeat(80) })));
  await app.store.transaction(async (db) => {
    await db.query(
      `insert into large_outputs (run_id, position, turn, bytes, preview, output) values ($1, 0, -1, $2, $3, $4)`,
      [runId, output.length, output.slice(0, 1000), output],
    );
    await db.query(
      `update run_steps set attempts = $2, output = null, output_bytes = $3 where run_id = $1 and position = 0`,
      [runId, JSON.stringify(Array.from({ length: 1000 }, () => attempt)), output.length],
    );
  });
}
